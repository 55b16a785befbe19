// Names of files may be any bytes; what is written stays JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/probe/result/probe_json.h"
#include "tests/cli/cli_fixture.h"
#include "tests/cli/made_up_probe.h"

namespace stallcast {
namespace {

using CliFileNames = Cli;

// Names of files are any bytes and become part of what is written; JSON is UTF-8.
TEST_F(CliFileNames, FilesWhoseNamesAreNoUtf8) {
  const std::string probe = file("probe\xff.json", probe_to_json(made_up_probe(), "test").dump());
  for (const char* format : {"table", "json"}) {
    const Outcome outcome = run({"calibrate", job(), "--probe", probe, "-o", path("out.json"), "--tier",
                                 path("tier.json"), "--format", format});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(nlohmann::json::accept(content(path("out.json"))));
    EXPECT_TRUE(nlohmann::json::accept(content(path("tier.json"))));
    EXPECT_THAT(content(path("tier.json")), testing::HasSubstr("probe\uFFFD.json"));
  }
}

}  // namespace
}  // namespace stallcast
