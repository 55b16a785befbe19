// Every file of the corpus once more through its reader: what the fuzzer once found stays found, without a fuzzer.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/readers.h"
#include "tests/fuzz/word_mutation.h"

namespace stallcast::fuzz {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const fs::path kCorpus = fs::path(STALLCAST_SOURCE_DIR) / "tests/fuzz/corpus";

class FuzzCorpus : public testing::TestWithParam<Reader> {};

TEST_P(FuzzCorpus, IsReadOrRefused) {
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kCorpus / GetParam().name)) {
    EXPECT_NO_THROW(read_as(GetParam(), content_of(entry.path()))) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0U);
}

// A little fuzzing wherever there is a compiler: the same inputs every time.
TEST_P(FuzzCorpus, IsReadOrRefusedWithOtherWordsInIt) {
  constexpr std::uint64_t kChanges = 20;
  for (const fs::directory_entry& entry : fs::directory_iterator(kCorpus / GetParam().name)) {
    std::string content = content_of(entry.path());
    const std::string original = content;
    for (std::uint64_t change = 0; change < kChanges; ++change) {
      if (change % 4 == 0) content = original;
      content = with_another_word(content, change);
      ASSERT_NO_THROW(read_as(GetParam(), content)) << entry.path() << ", change " << change << ":\n" << content;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Readers, FuzzCorpus, testing::ValuesIn(readers()),
                         [](const auto& reader) { return reader.param.name; });

TEST(FuzzReaders, HaveAFolderEachAndNoOther) {
  std::vector<std::string> folders, names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kCorpus))
    folders.push_back(entry.path().filename().string());
  for (const Reader& reader : readers()) names.emplace_back(reader.name);
  std::sort(folders.begin(), folders.end());
  EXPECT_EQ(folders, names);
}

}  // namespace
}  // namespace stallcast::fuzz
