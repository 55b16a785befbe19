#include "core/validate/mlperf_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "core/report/mlperf_text.h"

namespace stallcast {
namespace {

const char* const kResults = STALLCAST_SOURCE_DIR "/tests/validation/mlperf_storage_v1.0/results.csv";

TEST(MlperfTests, Print) {
  const auto began = std::chrono::steady_clock::now();
  const auto report = run_mlperf_tests(*load_mlperf_table(kResults).value);
  std::fputs(render_mlperf_text(report).c_str(), stdout);
  std::printf("%f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
}

}  // namespace
}  // namespace stallcast
