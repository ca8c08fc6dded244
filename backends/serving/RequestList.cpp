// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/RequestList.h"

using namespace perfc::serving;

void RequestList::readPage() {
  size_t count = std::min(pageSize, size() - read * pageSize);
  specs[read].reserve(count);
  while (specs[read].size() < count)
    specs[read].push_back(stream->next());
  ++read;
}

void RequestList::open(size_t page) {
  assert(page >= retired && "of requests that were forgotten");
  size_t first = page * pageSize, end = std::min(first + pageSize, size());
  pages[page].reserve(end - first);
  for (size_t number = first; number < end; ++number)
    pages[page].emplace_back(spec(number), number);
}

void RequestList::forEachHeld(llvm::function_ref<void(uint32_t, Request &)> use) {
  for (std::vector<Request> &page : pages)
    for (Request &request : page)
      use(static_cast<uint32_t>(request.id), request);
}

void RequestList::retirePage(const Taker &take) {
  std::vector<Request> page = std::move(pages[retired]);
  std::vector<RequestSpec> came = std::move(specs[retired]);
  for (size_t i = 0; i < page.size(); ++i)
    take(page[i], came[i]);
  ++retired;
  checked = 0;
}

void RequestList::retire(const Taker &take) {
  while (retired < pages.size()) {
    const std::vector<Request> &page = pages[retired];
    while (checked < page.size() && page[checked].isDone() && !page[checked].isResident)
      ++checked;
    if (page.empty() || checked < page.size())
      return;
    retirePage(take);
  }
}

void RequestList::retireAll(const Taker &take) {
  while (retired < pages.size()) {
    if (pages[retired].empty())
      open(retired);
    retirePage(take);
  }
}
