#include "core/diagnostics/json_input.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/diagnostics/file_calls.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

std::string size_text(std::size_t size) {
  if (size >= (std::size_t{1} << 20)) return fmt::format("{} MiB", size >> 20);
  return fmt::format("{} bytes", size);
}

Finding too_large(const std::filesystem::path& path, const std::string& got, std::size_t max_bytes) {
  Finding finding;
  finding.code = "too_large";
  finding.file = path.string();
  finding.got = got;
  finding.allowed = "at most " + size_text(max_bytes);
  finding.why = "it was not read";
  return finding;
}

// Length in bytes of the well-formed UTF-8 character at the start of `text`, 0 if there is none (RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&byte](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool too_high = first == 0xF4 && byte(1) > 0x8F;
    return follows(1) && follows(2) && follows(3) && !overlong && !too_high ? 4 : 0;
  }
  return 0;
}

std::size_t first_bad_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

// "line 3, column 5" of the byte at `offset`; columns count characters.
std::string place_of(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string_view row = before.substr(line_start);
  const auto column =
      std::count_if(row.begin(), row.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }) +
      1;
  return fmt::format("line {}, column {}", line, column);
}

// Builds the value event by event, without recursion, and watches depth and keys on the way.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, const std::string& file, std::size_t max_depth, Findings* findings)
      : text_(text), file_(file), max_depth_(max_depth), findings_(findings) {}

  Json take() { return std::move(root_); }

  bool null() override { return put(nullptr) != nullptr; }
  bool boolean(bool value) override { return put(value) != nullptr; }
  bool number_integer(number_integer_t value) override { return put(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return put(value) != nullptr; }
  bool number_float(number_float_t value, const string_t&) override { return put(value) != nullptr; }
  bool string(string_t& value) override { return put(std::move(value)) != nullptr; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = std::move(name);
    level.repeated = !level.keys.insert(level.key).second;
    if (level.repeated) {
      Finding finding;
      finding.code = "duplicate_key";
      finding.file = file_;
      finding.pointer = pointer();
      finding.got = "the key twice";
      finding.fix = "remove one of them";
      findings_->add(std::move(finding));
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string& last_token,
                   const nlohmann::detail::exception& error) override {
    // The library's sentence is "[json.exception...] parse error at line L, column C: syntax error while parsing X -
    // WHAT; expected Y".
    std::string what = error.what();
    if (const auto dash = what.find(" - "); dash != std::string::npos) {
      what = what.substr(dash + 3);
    } else if (const auto bracket = what.find("] "); bracket != std::string::npos) {
      what = what.substr(bracket + 2);
    }
    Finding finding;
    finding.code = "invalid_json";
    finding.file = file_;
    finding.pointer = levels_.empty() ? "" : pointer();
    if (const auto expected = what.find("; expected "); expected != std::string::npos) {
      finding.allowed = what.substr(expected + std::strlen("; expected "));
      what = what.substr(0, expected);
    }
    const std::size_t offset = position == 0 ? 0 : position - 1;
    finding.got = fmt::format("{} at {}", what, place_of(text_, offset));
    const bool at_end = what.find("end of input") != std::string::npos;
    if (at_end) {
      finding.why = levels_.empty() ? "the file ends too early"
                                    : fmt::format("the file ends inside {} open bracket{}", levels_.size(),
                                                  levels_.size() == 1 ? "" : "s");
    } else if (const char last = offset < text_.size() ? text_[offset] : ' ';
               (last == '}' || last == ']') && comma_before(offset)) {
      finding.fix = fmt::format("remove the comma before {}", last);
    } else if (last_token.find('\'') != std::string::npos) {
      finding.fix = "write strings in double quotes";
    }
    findings_->add(std::move(finding));
    return false;
  }

 private:
  struct Level {
    Json* value;
    std::string key;
    bool repeated = false;
    std::unordered_set<std::string> keys;
  };

  std::string pointer() const {
    std::string out;
    for (const Level& level : levels_) {
      if (level.value->is_array()) {
        out += fmt::format("/{}", level.value->size());
      } else if (!level.key.empty()) {
        out += "/" + pointer_token(level.key);
      }
    }
    return out;
  }

  // Where `value` now lives. The value of a repeated key is built, checked and dropped.
  Json* put(Json value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = levels_.back();
    if (level.value->is_array()) {
      auto& array = level.value->get_ref<Json::array_t&>();
      array.push_back(std::move(value));
      return &array.back();
    }
    if (level.repeated) {
      dropped_.push_back(std::make_unique<Json>(std::move(value)));
      return dropped_.back().get();
    }
    // The keys are known to differ, so the linear search of ordered_json's own insertion is not needed.
    auto& object =
        static_cast<std::vector<std::pair<const std::string, Json>>&>(level.value->get_ref<Json::object_t&>());
    object.emplace_back(level.key, std::move(value));
    return &object.back().second;
  }

  bool open(Json value) {
    if (levels_.size() >= max_depth_) {
      Finding finding;
      finding.code = "too_deep";
      finding.file = file_;
      finding.got = fmt::format("more than {} arrays and objects inside each other", max_depth_);
      finding.allowed = fmt::format("at most {}", max_depth_);
      findings_->add(std::move(finding));
      return false;
    }
    Json* place = put(std::move(value));
    levels_.push_back({place, "", false, {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  bool comma_before(std::size_t offset) const {
    std::size_t i = std::min(offset, text_.size());
    while (i > 0 && (text_[i - 1] == ' ' || text_[i - 1] == '\n' || text_[i - 1] == '\t' || text_[i - 1] == '\r')) --i;
    return i > 0 && text_[i - 1] == ',';
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t max_depth_;
  Findings* findings_;
  Json root_;
  std::vector<Level> levels_;
  std::vector<std::unique_ptr<Json>> dropped_;
};

}  // namespace

std::optional<Finding> utf8_problem(std::string_view text, const std::string& file) {
  const std::size_t bad = first_bad_utf8(text);
  if (bad == std::string_view::npos) return std::nullopt;
  Finding finding;
  finding.code = "not_utf8";
  finding.file = file;
  finding.got =
      fmt::format("byte 0x{:02X} at offset {} ({})", static_cast<unsigned char>(text[bad]), bad, place_of(text, bad));
  finding.allowed = "UTF-8 text";
  finding.fix = "save the file as UTF-8";
  return finding;
}

std::string pointer_token(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

Loaded<std::string> read_text_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const auto fail = [&path](int error) {
    throw WorldError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(error)));
  };
  const int descriptor = open_file(path, O_RDONLY);
  if (descriptor < 0) fail(errno);
  struct Closer {
    int descriptor;
    ~Closer() { ::close(descriptor); }
  } const closer{descriptor};
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) fail(errno);
  if (S_ISDIR(status.st_mode))
    throw WorldError(fmt::format("{}: cannot be read: it is a directory, not a file", path.string()));

  Loaded<std::string> loaded;
  if (S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) > max_bytes) {
    loaded.findings.add(too_large(path, size_text(static_cast<std::size_t>(status.st_size)), max_bytes));
    return loaded;
  }
  std::string text;
  std::vector<char> chunk(std::size_t{1} << 16);
  while (true) {
    const ssize_t count = read_some(descriptor, chunk.data(), chunk.size());
    if (count < 0) fail(errno);
    if (count == 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(count));
    if (text.size() > max_bytes) {  // a pipe or a device, or a file that grows
      loaded.findings.add(too_large(path, "more than " + size_text(max_bytes), max_bytes));
      return loaded;
    }
  }
  loaded.value = std::move(text);
  return loaded;
}

Loaded<Json> parse_json_text(std::string_view text, const std::string& file, const JsonLimits& limits) {
  Loaded<Json> loaded;
  Finding finding;
  finding.file = file;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    finding.code = "empty_file";
    finding.got = "nothing";
    finding.allowed = "one JSON value";
    loaded.findings.add(std::move(finding));
    return loaded;
  }
  if (auto problem = utf8_problem(text, file)) {
    loaded.findings.add(std::move(*problem));
    return loaded;
  }
  Builder builder(text, file, limits.max_depth, &loaded.findings);
  constexpr bool kNothingAfter = true;
  constexpr bool kComments = true;
  if (Json::sax_parse(text.begin(), text.end(), &builder, Json::input_format_t::json, kNothingAfter, kComments)) {
    loaded.value = builder.take();
  }
  return loaded;
}

Loaded<Json> read_json_file(const std::filesystem::path& path, const JsonLimits& limits) {
  const Loaded<std::string> text = read_text_file(path, limits.max_bytes);
  if (!text.value) return {std::nullopt, text.findings};
  return parse_json_text(*text.value, path.string(), limits);
}

}  // namespace stallcast
