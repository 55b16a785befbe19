// Catalogue directories for tests: a folder of its own for each, and short ways to write records into it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/catalogue/records/records.h"
#include "core/diagnostics/finding.h"
#include "tests/core/rendered.h"

namespace stallcast {

class RecordFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    directory_ = std::filesystem::path(::testing::TempDir()) /
                 (std::string(info->test_suite_name()) + "_" + info->name() + "_" + std::to_string(::getpid()));
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  const std::filesystem::path& directory() const { return directory_; }
  std::string file(const std::string& name) const { return (directory_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((directory_ / name).parent_path());
    std::ofstream(directory_ / name) << text;
  }

  // A tier with one source, "page". `rest` is more members, each with a comma after it.
  void write_tier(const std::string& name, const std::string& facts, const std::string& prices = "",
                  const std::string& rest = "", const std::string& folder = "tiers") const {
    write(folder + "/" + name + ".json",
          R"({"kind": "tier", "name": ")" + name + R"(", "title": "A disk", "status": "current", "scope": "shared", )" +
              rest + R"("sources": {"page": {"title": "Page", "locator": "x", "read": "2026-11"}}, "facts": {)" +
              facts + R"(}, "prices": {)" + prices + "}}");
  }
  // Members of "facts" and of "prices".
  static std::string number(const std::string& name, const std::string& value) {
    const bool plain = value.find_first_not_of("0123456789.") == std::string::npos;
    return "\"" + name + R"(": {"value": )" + (plain ? value : "\"" + value + "\"") +
           R"(, "source": "page", "kind": "vendor"})";
  }
  static std::string price(const std::string& name, const std::string& value, const std::string& per) {
    return "\"" + name + R"(": {"value": ")" + value + R"(", "per": ")" + per +
           R"(", "source": "page", "kind": "vendor"})";
  }

 private:
  std::filesystem::path directory_;
};

inline const char* const kModels = STALLCAST_SOURCE_DIR "/models";

// A number that a record states, as plain as can be.
template <class Q>
MaybeFact<Q> fact(double base) {
  return Fact<Q>{Q::from_base(base), {}};
}

}  // namespace stallcast
