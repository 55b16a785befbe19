// What is wrong with an input, said once and completely: where, what was read, what is allowed, what to write instead.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace stallcast {

enum class Severity { kWarning, kError };

struct Finding {
  Severity severity = Severity::kError;
  std::string code;     // stable word for scripts: "unknown_key", "out_of_range", "wrong_unit", ...
  std::string file;     // as the user named it; "--set" for command-line overrides
  std::string pointer;  // JSON pointer, "" for the whole document
  std::string got;      // what was read, as written
  std::string allowed;  // range, units or list
  std::string fix;      // what to write instead, or ""
  std::string why;      // one clause when it is not obvious, or ""
};

// "FILE: error[CODE] at POINTER:\n  got G; allowed A; FIX (WHY)". One finding, no trailing newline.
std::string render_finding(const Finding& finding);

class Findings {
 public:
  void add(Finding finding) { list_.push_back(std::move(finding)); }
  void append(const Findings& other) { list_.insert(list_.end(), other.list_.begin(), other.list_.end()); }
  bool has_errors() const;
  bool empty() const { return list_.empty(); }
  const std::vector<Finding>& list() const { return list_; }

 private:
  std::vector<Finding> list_;
};

// A value, or the findings that say why there is none; warnings may come with a value.
template <class T>
struct Loaded {
  std::optional<T> value;
  Findings findings;
  bool ok() const { return value.has_value() && !findings.has_errors(); }
};

// The world is wrong: a file, a disk, a device. Caught at the top, exit code 3.
class WorldError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Of `candidates`, the one nearest to `word` by edit distance, or "" if none is near enough to be a likely slip.
std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates);

// Letters and digits of `word` in lower case: two spellings of one name have the same.
std::string plain_letters(const std::string& word);

constexpr std::size_t kMostNames = 10;  // in one message

// What a message lists where `word` is none of `names`. `where` says what shows them all, or is "". With it, of more
// than kMostNames only those that `word` may be a slip of, the nearest first and at most five, and how many others
// there are; else all of them in their order.
std::string name_list(const std::string& word, const std::vector<std::string>& names, const std::string& where = "");

}  // namespace stallcast
