// Emitted text handed to the tool that reads it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/temporary_folder.h"

namespace stallcast {

inline bool tool_exists(const std::string& tool) {
  return std::system(("command -v " + tool + " > /dev/null 2>&1").c_str()) == 0;
}

struct ToolResult {
  bool accepted = false;
  std::string output;
};

// Runs `command` with the name of a file that holds `text` after it. The text may be hostile: it is only ever a file.
inline ToolResult run_tool(const std::string& command, const std::string& text) {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path input =
      temporary_folder() / (std::string(info->test_suite_name()) + "." + info->name() + ".emitted");
  const std::string output = input.string() + ".out";
  std::ofstream(input, std::ios::binary) << text;
  const int status = std::system((command + " '" + input.string() + "' > '" + output + "' 2>&1").c_str());
  std::ostringstream said;
  said << std::ifstream(output).rdbuf();
  std::filesystem::remove(input);
  std::filesystem::remove(output);
  return {status == 0, said.str()};
}

}  // namespace stallcast
