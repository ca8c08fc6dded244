// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Table.h"
#include "tools/driver/timeloop/Timeloop.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::driver;

static std::string picojoulesText(double picojoules) {
  static constexpr std::pair<double, const char *> units[] = {
      {1e12, "J"}, {1e9, "mJ"}, {1e6, "uJ"}, {1e3, "nJ"}};
  for (const auto &[size, unit] : units)
    if (picojoules >= size)
      return fmt::format("{:.4g} {}", picojoules / size, unit);
  return fmt::format("{:.4g} pJ", picojoules);
}

std::string driver::energyReason(const timeloop::Result &result) {
  return "the ERT has no energies of " + llvm::join(result.withoutEnergy, ", ");
}

static void printCounts(Session &session, const timeloop::Input &input,
                        const timeloop::Result &result) {
  Table table({{"memory", Align::Left},
               {"tensor", Align::Left},
               {"tile"},
               {"in use"},
               {"reads"},
               {"fills"},
               {"updates"},
               {"energy"}});
  for (size_t memory = result.levels.size(); memory-- > 0;) {
    const timeloop::LevelResult &level = result.levels[memory];
    for (unsigned space = 0; space < level.spaces.size(); ++space) {
      const timeloop::SpaceCounts &counts = level.spaces[space];
      if (counts.keep)
        table.addRow({level.name, input.problem.spaces[space].name, std::to_string(counts.tileSize),
                      fmt::format("{:.4g}", counts.instances), std::to_string(counts.reads),
                      std::to_string(counts.fills), std::to_string(counts.updates),
                      level.hasEnergy ? picojoulesText(counts.energy) : "-"});
    }
  }
  session.out << "\nWords per instance\n";
  table.print(session.out, session.tableWidth(), session.colorOut);
}

static void printNetworks(Session &session, const timeloop::Input &input,
                          const timeloop::Result &result) {
  Table table({{"network", Align::Left},
               {"tensor", Align::Left},
               {"children"},
               {"multicast"},
               {"words"},
               {"links"},
               {"hops"},
               {"energy"}});
  for (size_t memory = result.networks.size(); memory-- > 0;) {
    const timeloop::NetworkResult &network = result.networks[memory];
    for (unsigned space = 0; space < network.spaces.size(); ++space) {
      const timeloop::Transfers &one = network.spaces[space];
      if (one.fanout > 1)
        table.addRow({network.name, input.problem.spaces[space].name, std::to_string(one.fanout),
                      std::to_string(one.multicast), fmt::format("{:.10g}", one.ingresses),
                      std::to_string(one.links), fmt::format("{:.3g}", one.hops),
                      picojoulesText(one.totalEnergy)});
    }
  }
  if (table.empty())
    return;
  session.out << "\nNetworks\n";
  table.print(session.out, session.tableWidth(), session.colorOut);
}

void driver::printTimeloop(Session &session, const timeloop::Input &input,
                           const timeloop::Result &result) {
  llvm::StringRef name = input.problem.name;
  session.out << (name.empty() ? "problem" : name) << " as Timeloop counts: "
              << fmt::format("{:.0f} cycles, {}, {:.2f} % of {} {}\n", result.cycles,
                             result.withoutEnergy.empty() ? picojoulesText(result.energy)
                                                          : "energy not given",
                             result.utilization * 100, result.compute.instances,
                             result.compute.name);
  if (!result.withoutEnergy.empty())
    session.out << "energy not given: " << energyReason(result) << "\n";
  const timeloop::LevelResult *slowest = nullptr;
  for (const timeloop::LevelResult &level : result.levels)
    if (level.slowdown < 1 && (!slowest || level.slowdown < slowest->slowdown))
      slowest = &level;
  if (slowest)
    session.out << fmt::format("slowed down to {:.1f} % by the bandwidth of {}\n",
                               slowest->slowdown * 100, slowest->name);
  printCounts(session, input, result);
  printNetworks(session, input, result);
}
