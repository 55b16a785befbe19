// The published cases of tests/validation/public_cases: each has a scenario that runs and a figure that it has.
#include <gtest/gtest.h>

#include "core/cases/case_prediction.h"
#include "tests/core/rendered.h"

namespace stallcast {
namespace {

// What docs/accuracy.md says, and no worse.
TEST(PublicCases, AreNoFurtherOffThanTheDocumentationSays) {
  const std::string root = STALLCAST_SOURCE_DIR;
  const auto catalogue = load_catalogue(root + "/models");
  ASSERT_TRUE(catalogue.ok()) << rendered(catalogue.findings);
  const auto published = load_published_cases(root + "/tests/validation/public_cases");
  ASSERT_TRUE(published.ok()) << rendered(published.findings);
  EXPECT_GE(published.value->size(), 118U);
  const auto cases = predict_cases(*published.value, *catalogue.value, {});
  ASSERT_TRUE(cases.ok()) << rendered(cases.findings);
  const CaseScore score = score_of(*cases.value);
  EXPECT_GE(score.within_30_percent, 0.47);
  EXPECT_GE(score.within_factor_2, 0.69);
  EXPECT_GE(score.in_range, 0.80);
}

}  // namespace
}  // namespace stallcast
