#include "core/scenario/fields/edited_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "$schema";

// Where a member of an object stands in the text; `comma` is what follows it, if there is one.
struct Member {
  std::string key;
  std::size_t begin = 0, value = 0, end = 0;
  std::optional<std::size_t> comma;
};

struct Object {
  std::size_t open = 0, close = 0;  // of its braces
  std::vector<Member> members;
};

// Of text that is known to be JSON with comments.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // The first place from `at` that is neither space nor comment.
  std::size_t skip(std::size_t at) const {
    for (;;) {
      at = std::min(text_.find_first_not_of(" \t\r\n", at), text_.size());
      if (text_.substr(at, 2) == "//") {
        at = std::min(text_.find('\n', at), text_.size());
      } else if (text_.substr(at, 2) == "/*") {
        at = std::min(text_.find("*/", at + 2), text_.size() - 2) + 2;
      } else {
        return at;
      }
    }
  }

  // Past the value that begins at `at`.
  std::size_t past(std::size_t at) const {
    if (text_[at] == '"') return past_string(at);
    if (text_[at] != '{' && text_[at] != '[') return std::min(text_.find_first_of(",]} \t\r\n/", at), text_.size());
    int depth = 0;
    do {
      if (text_[at] == '"') {
        at = past_string(at);
      } else {
        if (text_[at] == '{' || text_[at] == '[') ++depth;
        if (text_[at] == '}' || text_[at] == ']') --depth;
        ++at;
      }
      if (depth > 0) at = skip(at);
    } while (depth > 0 && at < text_.size());
    return at;
  }

  Object object(std::size_t open) const {
    Object out{open, 0, {}};
    std::size_t at = skip(open + 1);
    while (at < text_.size() && text_[at] != '}') {
      Member member;
      member.begin = at;
      at = past_string(at);
      member.key = Json::parse(text_.substr(member.begin, at - member.begin)).get<std::string>();
      member.value = skip(skip(at) + 1);
      member.end = past(member.value);
      at = skip(member.end);
      if (at < text_.size() && text_[at] == ',') {
        member.comma = at;
        at = skip(at + 1);
      }
      out.members.push_back(std::move(member));
    }
    out.close = at;
    return out;
  }

 private:
  std::size_t past_string(std::size_t at) const {
    for (++at; at < text_.size() && text_[at] != '"'; ++at)
      if (text_[at] == '\\') ++at;
    return std::min(at + 1, text_.size());
  }

  std::string_view text_;
};

// On one line, with spaces as people write them.
std::string inline_text(const Json& json) {
  if (!json.is_structured() || json.empty()) return json.dump();
  std::string out = json.is_object() ? "{ " : "[";
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    if (!first) out += ", ";
    first = false;
    if (json.is_object()) out += Json(key).dump() + ": ";
    out += inline_text(value);
  }
  return out + (json.is_object() ? " }" : "]");
}

// Collects changes of an object and of those in it, and makes them all at the end.
class Editor {
 public:
  explicit Editor(std::string_view text) : text_(text), scan_(text) {}

  std::string edit(const Json& wanted) {
    change(scan_.object(scan_.skip(0)), wanted, true);
    // From the end on; of changes at one place what goes first, then what is put there, the last of it first.
    std::reverse(changes_.begin(), changes_.end());
    std::stable_sort(changes_.begin(), changes_.end(), [](const Change& one, const Change& other) {
      return std::pair(one.begin, one.end) > std::pair(other.begin, other.end);
    });
    std::string out(text_);
    for (const Change& one : changes_) out.replace(one.begin, one.end - one.begin, one.text);
    return out;
  }

 private:
  struct Change {
    std::size_t begin, end;
    std::string text;
  };

  Json value_of(const Member& member) const {
    return Json::parse(text_.substr(member.value, member.end - member.value), nullptr, true, true);
  }

  void change(const Object& object, const Json& wanted, bool is_root) {
    const Member* last = nullptr;
    bool drops_last = false;
    for (const Member& member : object.members) {
      const bool stays = wanted.contains(member.key) || (is_root && member.key == kSchema);
      drops_last = !stays;
      if (!stays) {
        remove(member);
        continue;
      }
      last = &member;
      if (wanted.contains(member.key)) set(member, wanted[member.key], is_root);
    }
    if (last != nullptr && drops_last && last->comma) changes_.push_back({*last->comma, *last->comma + 1, ""});
    std::vector<std::string> added;
    for (const auto& [key, value] : wanted.items()) {
      const auto is_it = [&key = key](const Member& member) { return member.key == key; };
      if (std::none_of(object.members.begin(), object.members.end(), is_it))
        added.push_back(Json(key).dump() + ": " + inline_text(value));
    }
    add(object, last, added);
  }

  void set(const Member& member, const Json& wanted, bool is_root) {
    const Json now = value_of(member);
    if (now == wanted) return;
    if (is_root && now.is_object() && wanted.is_object()) return change(scan_.object(member.value), wanted, false);
    changes_.push_back({member.value, member.end, inline_text(wanted)});
  }

  // With its line, where that holds nothing else.
  void remove(const Member& member) {
    std::size_t begin = member.begin, end = member.comma ? *member.comma + 1 : member.end;
    const std::size_t line = text_.rfind('\n', begin);
    const std::size_t rest = std::min(text_.find_first_not_of(" \t\r", end), text_.size());
    const bool is_alone = line != std::string_view::npos && text_.find_first_not_of(" \t", line + 1) == begin &&
                          text_.substr(rest, 1) == "\n";
    if (is_alone) {
      begin = line;
      end = rest;
    } else if (member.comma) {
      end = rest;
    }
    changes_.push_back({begin, end, ""});
  }

  void add(const Object& object, const Member* last, const std::vector<std::string>& added) {
    if (added.empty()) return;
    const std::size_t after = last != nullptr ? last->end : object.open + 1;
    const std::size_t line_end = text_.find('\n', after);
    const bool on_one_line = line_end == std::string_view::npos || line_end > object.close;
    if (on_one_line) {
      const std::string members = fmt::format("{}", fmt::join(added, ", "));
      changes_.push_back({after, after, last != nullptr ? ", " + members : " " + members + " "});
      return;
    }
    const std::string new_line = "\n" + indent_of(object, last);
    if (last != nullptr) changes_.push_back({after, after, ","});
    changes_.push_back({line_end, line_end, new_line + fmt::format("{}", fmt::join(added, "," + new_line))});
  }

  std::string indent_of(const Object& object, const Member* last) const {
    const std::size_t at = last != nullptr ? last->begin : object.open;
    const std::size_t line = text_.rfind('\n', at);
    const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
    const std::size_t word = text_.find_first_not_of(" \t", begin);
    return std::string(text_.substr(begin, word - begin)) + (last != nullptr ? "" : "  ");
  }

  std::string_view text_;
  Scanner scan_;
  std::vector<Change> changes_;
};

// Whether `text` says `wanted`, whatever the order.
bool says(std::string_view text, const Json& wanted) {
  Loaded<Json> read = parse_json_text(text, "");
  if (!read.ok() || !read.value->is_object()) return false;
  if (!wanted.contains(kSchema)) read.value->erase(std::string(kSchema));
  return nlohmann::json::parse(read.value->dump()) == nlohmann::json::parse(wanted.dump());
}

}  // namespace

std::string edited_text(std::string_view text, const Json& wanted) {
  const Loaded<Json> now = parse_json_text(text, "");
  const bool is_object = now.ok() && text.substr(Scanner(text).skip(0), 1) == "{";  // no byte order mark before it
  if (is_object)
    if (std::string edited = Editor(text).edit(wanted); says(edited, wanted)) return edited;
  return wanted.dump(2) + "\n";
}

}  // namespace stallcast
