// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the power limit of a board makes of a long run. A board that draws more than its limit
// lowers the clock until the mean power is at the limit, which takes it some 0.1 s: a run of T
// seconds takes, with t = 0.1 s and the time that it would take at a share x of the clock,
//     T' = min(T, t) + max(0, T - t) (1 + u (1 / x - 1)),  u the share of T that follows the clock
//     operations x^2 + memory + rest T(x) / T = limit T(x) / T,  T(x) = T (1 + u (1 / x - 1))
// Voltages follow the clock, so that the energy of an operation and its issue goes with its square;
// memory keeps its clock, and what is drawn at rest goes with the time. docs/cost-model.md.
#ifndef PERFC_BACKENDS_CORE_POWERHOLD_H
#define PERFC_BACKENDS_CORE_POWERHOLD_H

namespace perfc {

/// What runs one after the other on a chip draws at the highest clock, in J, and the time that
/// follows the clock; all add up.
struct PowerDemand {
  double operations = 0; ///< of units that compute, and for issue
  double memory = 0;     ///< of the outermost memory
  double rest = 0;       ///< whatever runs
  double limit = 0;      ///< the most that the board gives in that time; 0: not known
  double clocked = 0;    ///< s that units compute

  void add(const PowerDemand &other, double times);
};

/// How much longer what takes `seconds` at the highest clock is at the limit; at least 1.
double heldStretch(const PowerDemand &demand, double seconds);

/// Seconds by which the limit lengthens a run of `seconds`.
double heldTime(const PowerDemand &demand, double seconds);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_POWERHOLD_H
