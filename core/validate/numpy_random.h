// NumPy's default random generator, so that a run measured with recorded seeds can be replayed draw by draw.
//
// **Model** SeedSequence hashes the entropy words into a PCG64 (XSL-RR 128/64) state; normals by NumPy's 256-layer
// ziggurat. **Source** O'Neill, "PCG: a family of simple fast space-efficient statistically good algorithms", 2014;
// O'Neill, "Developing a seed_seq alternative", 2015; Marsaglia & Tsang, "The ziggurat method", JSS 5(8), 2000;
// NumPy NEP 19 (the stream of default_rng). **Checked by** NumpyRandom tests against values printed by NumPy 1.24.
#pragma once

#include <cstdint>
#include <vector>

namespace stallcast {

class NumpyRandom {
 public:
  // numpy.random.default_rng(entropy), entropy a list of non-negative integers below 2^64.
  explicit NumpyRandom(const std::vector<std::uint64_t>& entropy);

  std::uint64_t next64();
  double uniform();  // Generator.random(): [0, 1)
  double normal();   // Generator.standard_normal()

 private:
  unsigned __int128 state_ = 0;
  unsigned __int128 increment_ = 0;
};

}  // namespace stallcast
