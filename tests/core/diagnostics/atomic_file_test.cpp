#include "core/diagnostics/atomic_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/diagnostics/finding.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public ::testing::Test {
 protected:
  AtomicFile() { fs::create_directories(folder_); }
  ~AtomicFile() override { fs::remove_all(folder_); }
  static std::string content(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  fs::path folder_ = fs::temp_directory_path() / ("stallcast_atomic_" + std::to_string(::getpid()));
};

TEST_F(AtomicFile, ReplacesTheWholeContent) {
  const fs::path path = folder_ / "out.json";
  write_file_atomically(path, "a long first text");
  write_file_atomically(path, "short");
  EXPECT_EQ(content(path), "short");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFile, KeepsPermissionsAndSymbolicLinks) {
  const fs::path path = folder_ / "out.json";
  write_file_atomically(path, "1");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("out.json", folder_ / "link");
  write_file_atomically(folder_ / "link", "2");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content(path), "2");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AtomicFile, LeavesNothingBehindWhenItFails) {
  fs::create_directory(folder_ / "directory");
  EXPECT_THROW(write_file_atomically(folder_ / "directory", "x"), WorldError);
  EXPECT_THROW(write_file_atomically(folder_ / std::string(300, 'n'), "x"), WorldError);
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFile, SaysWhyInTheSystemsWords) {
  const fs::path path = folder_ / "nowhere" / "out.json";
  try {
    write_file_atomically(path, "x");
    FAIL();
  } catch (const WorldError& error) {
    EXPECT_EQ(std::string(error.what()), path.string() + ": cannot be created: No such file or directory");
  }
}

TEST_F(AtomicFile, AFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  try {
    write_file_atomically("/dev/full", "x");
    FAIL();
  } catch (const WorldError& error) {
    EXPECT_EQ(std::string(error.what()), "/dev/full: cannot be written: No space left on device");
  }
}

TEST_F(AtomicFile, WritesToADeviceWithoutReplacingIt) {
  write_file_atomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace stallcast
