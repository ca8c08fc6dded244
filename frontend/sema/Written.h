// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values as a program writes them, for messages and labels.
#ifndef PERFC_FRONTEND_SEMA_WRITTEN_H
#define PERFC_FRONTEND_SEMA_WRITTEN_H

#include "frontend/sema/Value.h"
#include "ir/common/Written.h"

namespace perfc {

/// Value::text with its quantities as people write them: `chip(bandwidth = 12.8GB/s +- 5%)`.
std::string written(const Value &value);
/// The same, but a string without quotes.
inline std::string plainText(const Value &value) {
  const std::string *text = value.getIf<std::string>();
  return text ? *text : written(value);
}

} // namespace perfc

#endif // PERFC_FRONTEND_SEMA_WRITTEN_H
