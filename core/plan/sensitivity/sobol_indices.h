// How much of a result's variance comes from which uncertain input: Sobol's indices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/result/estimate.h"

namespace stallcast {

// Shares of the variance of a result that depends on independent inputs.
struct SobolIndex {
  Estimate first_order;  // what knowing this input alone would take away
  Estimate total;        // what would be left if all others were known: first_order and every interaction with it
};

// Points of the unit cube to run a model at: samples * (inputs + 2) rows [row][input].
// **Model** Saltelli's design: rows of A, then rows of B, then for each input i the rows of A with column i of B. A and
//   B are the two halves of a Sobol sequence in 2 * inputs dimensions, moved by a random digital shift of `seed`; so
//   equal seeds give equal points, and all lie inside (0, 1).
// **Range** samples > 0; a power of two is best.
// **Source** Saltelli et al., "Variance based sensitivity analysis of model output", Computer Physics Communications
//   181, 2010; Sobol 1967; Joe and Kuo 2008 (direction numbers, from Boost.Random).
std::vector<std::vector<double>> sobol_points(std::size_t inputs, std::int64_t samples, std::uint64_t seed);

// Indices of each input, from `results` of the model at sobol_points(), in their order. Nothing where the result does
// not vary, or where one of them is not finite.
// **Model** with f less its mean, first order: mean(f_B (f_ABi - f_A)) / V; total: mean((f_A - f_ABi)^2) / (2 V); V the
//   variance over A and B. Intervals are the 2.5th and 97.5th percentile of 1000 bootstrap samples of rows; for points
//   that fill the cube evenly they are rather too wide.
// **Source** Saltelli et al. 2010, table 2 (b) and (f); Jansen 1999; Archer, Saltelli and Sobol 1997 (bootstrap).
// **Checked by** tests/core/plan/sobol_indices_test.cpp, against closed forms
std::optional<std::vector<SobolIndex>> sobol_indices(std::size_t inputs, const std::vector<double>& results,
                                                     std::uint64_t seed);

}  // namespace stallcast
