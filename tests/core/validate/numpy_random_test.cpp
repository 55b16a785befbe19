#include "core/validate/numpy_random.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

// numpy.random.default_rng([26086000, 0, 1]).random(5), NumPy 1.24.2.
TEST(NumpyRandom, UniformsAreThoseOfNumpy) {
  NumpyRandom random({26086000, 0, 1});
  for (double expected :
       {0.60115631143042558, 0.68318951742995437, 0.81402429652894059, 0.3387977277455515, 0.35475022607919215})
    EXPECT_EQ(random.uniform(), expected);
}

// numpy.random.default_rng([5, 3, 2]).standard_normal(5), NumPy 1.24.2. The layers' widths are computed here and
// tabulated there: the last bits may differ.
TEST(NumpyRandom, NormalsAreThoseOfNumpy) {
  NumpyRandom random({5, 3, 2});
  for (double expected :
       {0.68578775078388499, 1.1223403265561351, -0.32294874466522372, 1.2948598341133384, -0.16205423177744074})
    EXPECT_NEAR(random.normal(), expected, 1e-14);
}

// sum of x[i] * (i % 7) over a million normals that follow five uniforms: every rare branch (wedges, tail) is taken,
// and one draw out of step would change all that follow.
TEST(NumpyRandom, AMillionNormalsStayInStep) {
  NumpyRandom random({26086000, 0, 1});
  for (int i = 0; i < 5; ++i) random.uniform();
  double sum = 0.0;
  for (int i = 0; i < 1000000; ++i) sum += random.normal() * (i % 7);
  EXPECT_NEAR(sum, -5126.0377764633649, 1e-6);
}

}  // namespace
}  // namespace stallcast
