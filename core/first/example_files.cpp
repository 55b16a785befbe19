#include "core/first/example_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

std::string member_text(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string example_folder(const ExampleFile& example) {
  const std::size_t slash = example.name.rfind('/');
  return slash == std::string::npos ? "" : example.name.substr(0, slash);
}

}  // namespace

std::vector<ExampleFile> example_files(const fs::path& models_directory) {
  const fs::path folder = models_directory.parent_path() / "scenarios";
  std::error_code problem;
  std::vector<ExampleFile> out;
  fs::recursive_directory_iterator it(folder, problem);
  for (; !problem && it != fs::recursive_directory_iterator(); it.increment(problem)) {
    if (it->path().extension() != ".json") continue;
    const auto json = read_json_file(it->path());
    if (!json.value) continue;
    out.push_back({it->path().lexically_relative(folder).replace_extension().generic_string(),
                   member_text(*json.value, "name"), member_text(*json.value, "description"), it->path()});
  }
  if (problem || out.empty())
    throw WorldError(
        fmt::format("no example scenarios found in {}{}", folder.string(), problem ? ": " + problem.message() : ""));
  std::sort(out.begin(), out.end(), [](const ExampleFile& a, const ExampleFile& b) {
    return std::pair(example_folder(a), a.name) < std::pair(example_folder(b), b.name);
  });
  return out;
}

Loaded<ExampleFile> find_example(const std::string& name, const std::vector<ExampleFile>& examples) {
  Loaded<ExampleFile> out;
  const std::string wanted = plain_letters(name.ends_with(".json") ? name.substr(0, name.size() - 5) : name);
  std::vector<std::string> names, part;
  const ExampleFile* last = nullptr;
  for (const ExampleFile& example : examples) {
    const std::string letters = plain_letters(example.name);
    names.push_back(example.name);
    const bool numbered = !wanted.empty() && wanted == example.name.substr(0, example.name.find('_'));
    if (!wanted.empty() && (letters == wanted || numbered)) {
      out.value = example;
      return out;
    }
    if (wanted.empty() || letters.find(wanted) == std::string::npos) continue;
    part.push_back(example.name);
    last = &example;
  }
  if (part.size() == 1) {
    out.value = *last;
  } else if (!part.empty()) {
    out.findings.add({Severity::kError, "ambiguous_example", "", "", fmt::format("\"{}\"", name),
                      name_list(name, part, "stallcast examples"), "", "it can mean several"});
  } else {
    const std::string near = nearest_word(name, names);
    out.findings.add({Severity::kError, "unknown_example", "", "", fmt::format("\"{}\"", name),
                      name_list(name, names, "stallcast examples"),
                      near.empty() ? "" : fmt::format("did you mean \"{}\"?", near), ""});
  }
  return out;
}

std::string examples_text(const std::vector<ExampleFile>& examples) {
  std::size_t width = 0;
  for (const ExampleFile& example : examples) width = std::max(width, example.name.size());
  std::string out, folder;
  for (const ExampleFile& example : examples) {
    if (example_folder(example) != folder) {
      folder = example_folder(example);
      out += "\n";
    }
    out += fmt::format("{:<{}}  {}\n", example.name, width, example.title);
  }
  return out;
}

}  // namespace stallcast
