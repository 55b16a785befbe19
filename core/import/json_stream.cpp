#include "core/import/json_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <utility>

#include "core/import/gzip_stream.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kMostJsonBytes = std::uintmax_t{8} << 30;
constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxNodes = 1'000'000;  // of one wanted part

// Follows the path and builds what stands at a wanted one.
class Follower : public nlohmann::json_sax<Json> {
 public:
  Follower(const std::vector<JsonPath>& patterns, const std::function<void(const JsonPath&, Json)>& visit,
           std::string file, Findings& findings)
      : patterns_(patterns), visit_(visit), file_(std::move(file)), findings_(findings) {}

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(value); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(value); }
  bool number_float(number_float_t, const string_t& text) override { return scalar(text); }
  bool string(string_t& value) override { return scalar(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (built_.empty()) {
      path_.back() = std::move(name);
    } else {
      keys_.back() = std::move(name);
    }
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    std::string what = error.what();
    if (const auto dash = what.find(" - "); dash != std::string::npos) what = what.substr(dash + 3);
    if (const auto next = what.find(';'); next != std::string::npos) what = what.substr(0, next);
    const bool ends_early =
        what.find("end of input") != std::string::npos || what.find("missing closing quote") != std::string::npos;
    const bool bad_text = what.find("UTF-8") != std::string::npos;
    const std::string inside = path_.empty() ? "" : fmt::format(" inside \"{}\"", fmt::join(path_, "/"));
    findings_.add({Severity::kError, bad_text ? "not_utf8" : "invalid_json", file_, "",
                   fmt::format("{} at byte {}{}", what, position, inside), bad_text ? "UTF-8 text" : "complete JSON",
                   "", ends_early ? "the file ends too early" : ""});
    return false;
  }

 private:
  bool wanted() const {
    return std::any_of(patterns_.begin(), patterns_.end(), [this](const JsonPath& pattern) {
      return std::equal(pattern.begin(), pattern.end(), path_.begin(), path_.end(),
                        [](const std::string& a, const std::string& b) { return a == "*" || a == b; });
    });
  }

  bool scalar(Json value) {
    if (!built_.empty()) return put(std::move(value)) != nullptr;
    if (wanted()) visit_(path_, std::move(value));
    return true;
  }

  // Into the part being built.
  Json* put(Json value) {
    if (++nodes_ > kMaxNodes) {
      findings_.add({Severity::kError, "too_large", file_, "",
                     fmt::format("over {} values in \"{}\"", kMaxNodes, fmt::join(path_, "/")),
                     fmt::format("at most {}", kMaxNodes), "", ""});
      return nullptr;
    }
    Json& parent = *built_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[keys_.back()] = std::move(value));
  }

  bool open(Json value) {
    if (path_.size() + built_.size() >= kMaxDepth) {
      findings_.add({Severity::kError, "too_deep", file_, "",
                     fmt::format("more than {} arrays and objects inside each other", kMaxDepth),
                     fmt::format("at most {}", kMaxDepth), "", ""});
      return false;
    }
    if (!built_.empty()) {
      Json* place = put(std::move(value));
      if (place == nullptr) return false;
      built_.push_back(place);
      keys_.emplace_back();
      return true;
    }
    if (wanted()) {
      root_ = std::move(value);
      built_ = {&root_};
      keys_ = {""};
      nodes_ = 0;
      return true;
    }
    path_.emplace_back("*");  // an object's is replaced by its keys
    return true;
  }

  bool close() {
    if (built_.empty()) {
      path_.pop_back();
      return true;
    }
    built_.pop_back();
    keys_.pop_back();
    if (built_.empty()) visit_(path_, std::move(root_));
    return true;
  }

  const std::vector<JsonPath>& patterns_;
  const std::function<void(const JsonPath&, Json)>& visit_;
  std::string file_;
  Findings& findings_;
  JsonPath path_;
  Json root_;
  std::vector<Json*> built_;  // from the wanted part down to where the next value goes
  std::vector<std::string> keys_;
  std::size_t nodes_ = 0;
};

}  // namespace

Findings stream_json(const std::filesystem::path& path, const std::vector<JsonPath>& patterns,
                     const std::function<void(const JsonPath&, Json)>& visit) {
  Findings findings;
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) {
    throw WorldError(fmt::format("{}: cannot be read: it is a directory, not a file", path.string()));
  }
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  if (!problem && size > kMostJsonBytes) {
    findings.add({Severity::kError, "too_large", path.string(), "", fmt::format("{} GiB", size >> 30),
                  fmt::format("at most {} GiB", kMostJsonBytes >> 30), "", "it was not read"});
    return findings;
  }
  GzipBuffer buffer(path, kMostJsonBytes);
  std::istream in(&buffer);
  in.exceptions(std::ios::badbit);  // what reading throws, instead of an early end
  bool any = false;
  while ((in >> std::ws) && in.peek() != std::istream::traits_type::eof()) {
    any = true;
    Findings of_value;
    Follower follower(patterns, visit, path.string(), of_value);
    constexpr bool kOneOfSeveral = false;
    const bool complete = Json::sax_parse(in, &follower, Json::input_format_t::json, kOneOfSeveral);
    if (!buffer.problem_code().empty()) break;
    findings.append(of_value);
    if (!complete) return findings;
  }
  if (!buffer.problem_code().empty()) {
    findings.add({Severity::kError, buffer.problem_code(), path.string(), "", buffer.problem(),
                  "a complete file, of at most " + std::to_string(kMostJsonBytes >> 30) + " GiB when unpacked", "",
                  ""});
  } else if (!any) {
    findings.add({Severity::kError, "empty_file", path.string(), "", "nothing", "JSON", "", ""});
  }
  return findings;
}

}  // namespace stallcast
