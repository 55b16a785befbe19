#include "core/first/example_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/rendered.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;

TEST(ExampleFiles, AreFoundByNameNumberAndPart) {
  const auto examples = example_files(STALLCAST_SOURCE_DIR "/models");
  const auto json_files =
      std::count_if(std::filesystem::recursive_directory_iterator(STALLCAST_SOURCE_DIR "/scenarios"),
                    std::filesystem::recursive_directory_iterator(),
                    [](const auto& entry) { return entry.path().extension() == ".json"; });
  EXPECT_EQ(static_cast<std::ptrdiff_t>(examples.size()), json_files);
  for (const ExampleFile& example : examples) EXPECT_FALSE(example.title.empty()) << example.name;
  const auto name_of = [&](const std::string& text) {
    const auto found = find_example(text, examples);
    return found.ok() ? found.value->name : rendered(found.findings);
  };
  EXPECT_EQ(name_of("02_headline_gcs"), "02_headline_gcs");
  EXPECT_EQ(name_of("17"), "17_webdataset");
  EXPECT_EQ(name_of("webdataset"), "17_webdataset");
  EXPECT_EQ(name_of("weeks/llama3-405b.json"), "weeks/llama3_405b");
  EXPECT_THAT(name_of("headline"), HasSubstr("01_headline_parallelstore, 02_headline_gcs"));
  EXPECT_THAT(name_of("17_webdatset"), HasSubstr("did you mean \"17_webdataset\"?"));
}

TEST(ExampleFiles, AreMissedWithTheFolder) {
  EXPECT_THROW(example_files(STALLCAST_SOURCE_DIR "/core/first"), WorldError);
}

}  // namespace
}  // namespace stallcast
