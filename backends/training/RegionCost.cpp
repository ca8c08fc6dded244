// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of what stretches of graphs take.
#include "backends/training/GraphCost.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <utility>

using namespace perfc;
using namespace perfc::training;

void RegionCost::add(const RegionCost &other, double times) {
  seconds += other.seconds * times;
  weightsSeconds += other.weightsSeconds * times;
  power.add(other.power, times);
  macs += other.macs * times;
  flops += other.flops * times;
  energy += other.energy.times(times);
  for (Communication entry : other.communication) {
    entry.count *= times;
    auto same = llvm::find_if(communication, [&](const Communication &known) {
      return known.kind == entry.kind && known.axis == entry.axis && known.bytes == entry.bytes &&
             known.meanShare == entry.meanShare;
    });
    if (same == communication.end())
      communication.push_back(std::move(entry));
    else
      same->count += entry.count;
  }
  for (KernelTime entry : other.kernels) {
    entry.seconds *= times;
    entry.count *= times;
    entry.flops *= times;
    entry.macs *= times;
    entry.peakSeconds *= times;
    entry.energy = entry.energy.times(times);
    auto same = llvm::find_if(kernels, [&](const KernelTime &known) {
      return known.label == entry.label && known.bound == entry.bound && known.alike == entry.alike;
    });
    if (same == kernels.end()) {
      kernels.push_back(std::move(entry));
      continue;
    }
    same->seconds += entry.seconds;
    same->count += entry.count;
    same->flops += entry.flops;
    same->macs += entry.macs;
    same->peakSeconds += entry.peakSeconds;
    same->energy += entry.energy;
  }
  savedBytes += other.savedBytes * times;
  waitingBytes += other.waitingBytes * times;
  weightElements += other.weightElements * times;
  expertElements += other.expertElements * times;
  frozenElements += other.frozenElements * times;
  frozenExperts += other.frozenExperts * times;
  adapterElements += other.adapterElements * times;
  weightBytes += other.weightBytes * times;
  expertBytes += other.expertBytes * times;
  workingBytes = std::max(workingBytes, other.workingBytes);
  dropped = std::max(dropped, other.dropped);
}

int64_t GraphCost::layerCount() const {
  int64_t sum = 0;
  for (const Layers &entry : layers)
    sum += entry.count;
  return sum;
}

KernelSources::KernelSources(const Cost &kernel)
    : providers{kernel.provenance.provider}, notes(kernel.notes),
      isEnergyPartial(kernel.energy.isPartial), errors(kernel.errors) {
  if (!kernel.provenance.library.empty())
    libraries.push_back(kernel.provenance.library);
  if (errors.known.empty())
    errors.addUnknown("kernels");
}

void KernelSources::add(const KernelSources &other) {
  errors.add(other.errors);
  auto addNew = [](std::vector<std::string> &all, llvm::ArrayRef<std::string> some) {
    for (const std::string &entry : some)
      if (!llvm::is_contained(all, entry))
        all.push_back(entry);
  };
  addNew(providers, other.providers);
  addNew(notes, other.notes);
  addNew(libraries, other.libraries);
  isEnergyPartial |= other.isEnergyPartial;
}
