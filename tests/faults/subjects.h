// The commands that write files, each as small as it can be.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stallcast::faults {

struct Subject {
  std::string name;
  std::vector<std::string> words;
  std::map<std::string, std::string> before = {};    // files, besides those of inputs()
  std::vector<std::vector<std::string>> first = {};  // commands to run before, without faults
  bool repeatable = true;  // the same command writes the same; else its JSON has only to be whole
};

const std::vector<Subject>& subjects();
const Subject& subject(const std::string& name);

// A scenario, measurements, prices and a few files to read, in `folder`.
void write_inputs(const std::filesystem::path& folder);

}  // namespace stallcast::faults
