// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all choices of lanes lead to, point by point: the lines of the table at the array.
#include "backends/loopnest/search/Floors.h"

#include <cmath>
#include <map>

using namespace perfc;
using namespace perfc::loopnest;

/// What enters a level from outside the array, at the best when the innermost loop in time there is
/// one of `innermost`; where that moves nothing of the tensor, before loops that repeat divide it.
FlowFloors::Brought Floors::bestFlow(unsigned t, size_t outside, const TileGrid::Point &time,
                                     const TileGrid::Point &lanes, unsigned innermost) const {
  const FlatTensor &tensor = space.tensors[t];
  double all = floors.missing(t, outside), words;
  if (innermost == space.dims() || tensor.plain >> innermost & 1)
    words = floors.whole(t, outside);
  else if (tensor.windowed >> innermost & 1)
    words = floors.sliding(t, outside, innermost, 2, grid.value(innermost, lanes[innermost]),
                           time[floors.partnerOf(t, innermost)] > 0);
  else
    words = floors.slidingAtBest(t, outside, time, lanes);
  return {all * words, all * floors.padding(t, outside)};
}

/// Whether a loop of `dim` leaves the tensor where it is.
static bool isIdle(const FlatTensor &tensor, unsigned dim) {
  return !((tensor.plain | tensor.windowed) >> dim & 1);
}

double Floors::mostRepeats(size_t outside, unsigned innermost) const {
  double most = 1;
  for (unsigned k : innerFloors.flows())
    if (unsigned t = space.crossings[k].tensor;
        innermost < space.dims() && isIdle(space.tensors[t], innermost))
      most = std::max(most, floors.missing(t, outside));
  return most;
}

double Floors::repeats(const Trails &trails, unsigned innermost) const {
  double most = 1;
  for (unsigned k : innerFloors.flows())
    if (unsigned t = space.crossings[k].tensor;
        innermost < space.dims() && isIdle(space.tensors[t], innermost))
      most = std::max(most, trails.of[t].repeats);
  return most;
}

/// One point inside the array: its entries, by which of their flows are open.
struct Floors::Reached {
  size_t outside;
  llvm::SmallVector<double, 8> least; ///< by flow: words if open, but for lanes
  llvm::ArrayRef<InnerFloors::Entry> entries;
  std::vector<unsigned> openOf;         ///< by entry: number in `masks`
  llvm::SmallVector<unsigned, 8> masks; ///< bits of open flows
  unsigned mayBeOpen = 0;               ///< bits of flows that are open in some entry
  /// By flow, of entries where it is settled: the fewest words and the most padding.
  std::array<double, InnerFloors::maxFlows> fewest, padding;
  std::array<InnerFloors::Outlook, InnerFloors::maxFlows> outlooks; ///< by flow
};

/// One group of lanes at one point: what does not depend on the prices of its choices.
struct Floors::Visit {
  struct Settled {
    const InnerFloors::Entry *entry;
    unsigned kind; ///< number of its mask
    std::array<Sharing, InnerFloors::maxFlows> sharing;
  };
  const Group *group;
  TileGrid::Point before;                             ///< outside the array
  std::array<Sharing, InnerFloors::maxFlows> sharing; ///< of tiles that nothing further in splits
  std::array<double, InnerFloors::maxFlows> least;    ///< J by flow, at least
  std::vector<Settled> entries;                       ///< those that may improve on what is known
};

Floors::Reached Floors::reached(size_t outside) const {
  Reached result;
  result.outside = outside;
  for (unsigned v = 0; v < innerFloors.flows().size(); ++v)
    result.outlooks[v] = innerFloors.outlook(v, outside);
  for (unsigned k : innerFloors.flows())
    result.least.push_back(floors.slidingAtBest(space.crossings[k].tensor, outside,
                                                grid.point(outside), TileGrid::Point{}));
  return result;
}

void Floors::setEntries(Reached &at) const {
  at.entries = innerFloors.at(arrayEnd(), at.outside);
  at.fewest.fill(infinite);
  at.padding.fill(0);
  for (const InnerFloors::Entry &entry : at.entries) {
    unsigned mask = 0;
    for (unsigned v = 0; v < innerFloors.flows().size(); ++v) {
      if (entry.words[v] == InnerFloors::open) {
        mask |= 1u << v;
        continue;
      }
      at.fewest[v] = std::min(at.fewest[v], entry.words[v]);
      at.padding[v] = std::max(at.padding[v], entry.padding[v]);
    }
    at.mayBeOpen |= mask;
    auto known = llvm::find(at.masks, mask);
    at.openOf.push_back(static_cast<unsigned>(known - at.masks.begin()));
    if (known == at.masks.end())
      at.masks.push_back(mask);
  }
}

/// The groups of lanes with which anything at a point may improve on what is known, by what is
/// known of the flows further in before the entries are: none is less than one at the point itself.
void Floors::visitPoint(const Reached &at, std::vector<Visit> &visits) const {
  llvm::ArrayRef<unsigned> flows = innerFloors.flows();
  const TileGrid::Point &outside = grid.point(at.outside);
  visits.clear();
  Visit visit;
  bool isImage = images[at.outside] == at.outside;
  for (const Group &group : groups) {
    if ((isImage && symmetry.compare(group.lanes) > 0) ||
        !grid.between(group.lanes, outside, visit.before))
      continue;
    visit.group = &group;
    double sum = group.least.rest, most = group.grows ? classes[group.bucket].most : HUGE_VAL;
    for (unsigned v = 0; v < flows.size() && (sum < most || !group.grows); ++v) {
      unsigned t = space.crossings[flows[v]].tensor;
      const LaneChoice::Price &price = group.least.prices[v];
      const InnerFloors::Outlook &flow = at.outlooks[v];
      visit.sharing[v] =
          price.windowed ? floors.sharing(t, outside, outside, group.lanes) : Sharing();
      visit.least[v] = price.cost({at.least[v] * floors.missing(t, group.index),
                                   floors.missing(t, at.outside) * floors.padding(t, at.outside)},
                                  visit.sharing[v]);
      double settled = infinite;
      if (flow.words < infinite)
        settled = price.cost({flow.words, flow.padding}, visit.sharing[v]);
      sum += flow.mayBeOpen ? std::min(settled, visit.least[v]) : settled;
    }
    if (sum < most || !group.grows)
      visits.push_back(visit);
  }
}

/// Sets the entries that may be worth a look with these lanes, by the group's least prices; false
/// when there are none.
bool Floors::visitGroup(const Reached &at, Visit &visit) const {
  llvm::ArrayRef<unsigned> flows = innerFloors.flows();
  const Group &group = *visit.group;
  const TileGrid::Point &outside = grid.point(at.outside);
  double quick = group.least.rest;
  for (unsigned v = 0; v < flows.size(); ++v) {
    double settled = group.least.prices[v].cost({at.fewest[v], at.padding[v]}, visit.sharing[v]);
    quick += at.mayBeOpen >> v & 1 ? std::min(settled, visit.least[v]) : settled;
  }
  if (group.grows && quick >= classes[group.bucket].most)
    return false;
  for (size_t e = 0; e < at.entries.size(); ++e) {
    const InnerFloors::Entry &entry = at.entries[e];
    Visit::Settled settled{&entry, at.openOf[e], visit.sharing};
    unsigned mask = at.masks[settled.kind];
    // First as if tiles were as large as they can be: most entries are out with that.
    double sum = group.least.rest;
    for (unsigned v = 0; v < flows.size(); ++v)
      sum += mask >> v & 1
                 ? visit.least[v]
                 : group.least.prices[v].cost({entry.words[v], entry.padding[v]}, visit.sharing[v]);
    if (sum >= classes[group.bucket].most)
      continue;
    sum = group.least.rest;
    for (unsigned v = 0; v < flows.size(); ++v) {
      if (mask >> v & 1) {
        sum += visit.least[v];
        continue;
      }
      if (group.least.prices[v].windowed)
        settled.sharing[v] = floors.sharing(space.crossings[flows[v]].tensor, outside,
                                            grid.point(entry.held[v]), group.lanes);
      sum += group.least.prices[v].cost({entry.words[v], entry.padding[v]}, settled.sharing[v]);
    }
    if (sum < classes[group.bucket].most)
      visit.entries.push_back(settled);
  }
  return !visit.entries.empty();
}

/// Puts what the choices of a group lead to into the table at the point outside the array.
void Floors::addOffers(const Reached &at, const Visit &visit) {
  llvm::ArrayRef<unsigned> flows = innerFloors.flows();
  const Group &group = *visit.group;
  const TileGrid::Point &before = visit.before;
  size_t index = grid.index(before), kinds = at.masks.size();
  bool outerArrays = llvm::any_of(llvm::ArrayRef<Slot>(space.slots).take_front(arrayBegin()),
                                  [](const Slot &slot) { return slot.isAxis; });
  // J of what is settled, at the best entry of each kind, choice by choice.
  llvm::SmallVector<double, 64> settled(kinds * group.offers.size(), infinite);
  for (size_t o = 0; o < group.offers.size(); ++o)
    for (const Visit::Settled &entry : visit.entries) {
      double sum = group.offers[o].rest;
      for (unsigned v = 0; v < flows.size(); ++v)
        if (!(at.masks[entry.kind] >> v & 1))
          sum += group.offers[o].prices[v].cost({entry.entry->words[v], entry.entry->padding[v]},
                                                entry.sharing[v]);
      double &best = settled[o * kinds + entry.kind];
      best = std::min(best, sum);
    }
  for (unsigned d = 0; d <= space.dims(); ++d) {
    if (d < space.dims() ? before[d] == 0 : index != 0 && !outerArrays)
      continue;
    std::array<FlowFloors::Brought, InnerFloors::maxFlows> open;
    unsigned idle = 0;
    for (unsigned v = 0; v < flows.size(); ++v) {
      unsigned t = space.crossings[flows[v]].tensor;
      open[v] = bestFlow(t, at.outside, before, group.lanes, d);
      idle |= unsigned(d < space.dims() && isIdle(space.tensors[t], d)) << v;
    }
    addLines(at, visit, {settled.data(), settled.size()}, {open.data(), flows.size()}, idle,
             place(index, d, group.bucket), mostRepeats(index, d));
  }
}

/// The lines of all choices at one place of the table.
void Floors::addLines(const Reached &at, const Visit &visit, llvm::ArrayRef<double> settled,
                      llvm::ArrayRef<FlowFloors::Brought> open, unsigned idle, size_t place,
                      double most) {
  const Group &group = *visit.group;
  double limit = classes[group.bucket].most;
  size_t kinds = at.masks.size();
  for (size_t o = 0; o < group.offers.size(); ++o) {
    std::array<double, InnerFloors::maxFlows> cost;
    for (unsigned v = 0; v < open.size(); ++v)
      cost[v] = group.offers[o].prices[v].cost(open[v], visit.sharing[v]);
    for (unsigned m = 0; m < kinds; ++m) {
      Line line{settled[o * kinds + m], 0};
      if (line.fixed >= limit)
        continue;
      for (unsigned v = 0; v < open.size(); ++v)
        if (at.masks[m] >> v & 1)
          (idle >> v & 1 ? line.divided : line.fixed) += cost[v];
      if (line.at(most) < limit)
        insert(place, line, most);
    }
  }
}

/// Where the table has what may stand at a point: the images have the same.
size_t Floors::place(size_t outside, unsigned dim, unsigned bucket) const {
  size_t other = images[outside];
  unsigned image = dim < space.dims() ? symmetry.image(dim) : dim;
  if (other < outside || (other == outside && image < dim)) {
    outside = other;
    dim = image;
  }
  return (outside * (space.dims() + 1) + dim) * classes.size() + bucket;
}

/// Keeps what no other line is below of, for all repeats up to `most`.
void Floors::insert(size_t place, const Line &line, double most) {
  auto covers = [&](const Line &a, const Line &b) {
    return a.at(1) <= b.at(1) && a.at(most) <= b.at(most);
  };
  for (uint32_t i = heads[place]; i != noLine; i = lines[i].next)
    if (covers(lines[i].line, line))
      return;
  for (uint32_t *link = &heads[place]; *link != noLine;)
    if (covers(line, lines[*link].line))
      *link = lines[*link].next;
    else
      link = &lines[*link].next;
  lines.push_back({line, heads[place]});
  heads[place] = static_cast<uint32_t>(lines.size() - 1);
}

double Floors::leastAt(size_t place, double repeats) const {
  double least = infinite;
  for (uint32_t i = heads[place]; i != noLine; i = lines[i].next)
    least = std::min(least, lines[i].line.at(repeats));
  return least;
}

/// Choices of the same lanes differ in prices only; those that are dearer in each are left out.
void Floors::makeGroups() {
  std::map<size_t, size_t> known; // by lanes
  for (unsigned c = 0; c < costs.choices().size(); ++c) {
    const LaneChoice &choice = costs.choices()[c];
    auto [at, isNew] = known.insert({grid.index(choice.lanes), groups.size()});
    if (isNew) {
      groups.emplace_back();
      groups.back().lanes = choice.lanes;
      groups.back().index = grid.index(choice.lanes);
      groups.back().bucket = bucketsOfChoices[c];
    }
    Offer offer;
    offer.rest = priced(choice, grid.point(grid.last())).rest;
    for (unsigned k : innerFloors.flows())
      offer.prices.push_back(choice.prices[k]);
    groups[at->second].choices.push_back(c);
    addTo(groups[at->second], offer);
  }
  for (Group &group : groups) {
    group.least = group.offers.front();
    for (const Offer &offer : group.offers) {
      group.least.rest = std::min(group.least.rest, offer.rest);
      for (unsigned v = 0; v < offer.prices.size(); ++v) {
        LaneChoice::Price &price = group.least.prices[v];
        const LaneChoice::Price &other = offer.prices[v];
        price.fixed = std::min(price.fixed, other.fixed);
        price.shared = std::min(price.shared, other.shared);
        price.hops = std::min(price.hops, other.hops);
        price.farther = std::max(price.farther, other.farther);
      }
    }
    for (const LaneChoice::Price &price : group.least.prices)
      group.grows &= price.fixed + price.shared + price.hops >= 0;
    group.cheapest = costs.choices()[group.choices.front()];
    group.cheapest.together.assign(space.crossings.size(), group.lanes);
    for (unsigned v = 0; v < group.least.prices.size(); ++v)
      group.cheapest.prices[innerFloors.flows()[v]] = group.least.prices[v];
  }
}

void Floors::addTo(Group &group, const Offer &offer) {
  auto covers = [](const Offer &a, const Offer &b) {
    bool all = a.rest <= b.rest;
    for (unsigned v = 0; v < a.prices.size() && all; ++v)
      all = a.prices[v].fixed <= b.prices[v].fixed && a.prices[v].shared <= b.prices[v].shared &&
            a.prices[v].hops <= b.prices[v].hops && a.prices[v].farther >= b.prices[v].farther;
    return all;
  };
  for (const Offer &other : group.offers)
    if (covers(other, offer))
      return;
  llvm::erase_if(group.offers, [&](const Offer &other) { return covers(offer, other); });
  group.offers.push_back(offer);
}

/// The least energy that `known` excludes at a latency; infinite when it excludes none.
static double leastExcluded(const Incumbents &known, double latency) {
  if (known.front().empty())
    return infinite;
  if (known.excludes({-1, latency}))
    return -1;
  double low = 0, high = known.front().back().score.energy;
  for (unsigned i = 0; !known.excludes({high, latency}); ++i, high *= 4)
    if (i == 60)
      return infinite;
  for (unsigned i = 0; i < 70; ++i) {
    double middle = (low + high) / 2;
    (known.excludes({middle, latency}) ? high : low) = middle;
  }
  return high;
}

bool Floors::fill(const Incumbents &known, llvm::function_ref<bool()> isOver) {
  classes.clear();
  bucketsOfChoices.clear();
  groups.clear();
  lines.clear();
  makeBuckets(known);
  makeGroups();
  for (Bucket &bucket : classes)
    bucket.most = leastExcluded(known, bucket.latency) - costs.constant() - outerFloor -
                  weights.leak * bucket.latency;
  heads.assign(grid.size() * (space.dims() + 1) * classes.size(), noLine);
  std::vector<Visit> visits;
  for (size_t outside = 0; outside < grid.size(); ++outside) {
    if (!innerFloors.mayFit(outside) || images[outside] < outside)
      continue;
    if (isOver())
      return false;
    Reached at = reached(outside);
    visitPoint(at, visits);
    if (visits.empty())
      continue;
    innerFloors.fillPoint(outside);
    setEntries(at);
    for (Visit &visit : visits)
      if (visitGroup(at, visit))
        addOffers(at, visit);
  }
  makeSuffixes();
  return true;
}
