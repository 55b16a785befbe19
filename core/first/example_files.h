// The scenarios that come along, to look at and to start from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/diagnostics/finding.h"

namespace stallcast {

struct ExampleFile {
  std::string name;   // "02_headline_gcs", "weeks/llama3_405b"
  std::string title;  // the scenario's own name
  std::string about;  // its description
  std::filesystem::path path;
};

// In reading order. **Errors** WorldError where there is no such folder beside the catalogue's.
std::vector<ExampleFile> example_files(const std::filesystem::path& models_directory);

// The one that a person means: by its name, its number ("02"), or the part of its name behind it. Findings
// "unknown_example" with the nearest names, "ambiguous_example" with those it can mean.
Loaded<ExampleFile> find_example(const std::string& name, const std::vector<ExampleFile>& examples);

// One line each, grouped by folder.
std::string examples_text(const std::vector<ExampleFile>& examples);

}  // namespace stallcast
