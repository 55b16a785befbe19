#include "core/diagnostics/finding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace stallcast {
namespace {

constexpr std::size_t kLongestPart = 160;  // of a rendered finding; inputs may hold megabytes in one string

// Control characters, those of ISO 8859 (U+0080 to U+009F) among them, would let an input write to the terminal; a long
// text would hide the finding.
std::string printable(const std::string& text, std::size_t longest = kLongestPart) {
  std::string out;
  std::size_t end = std::min(text.size(), longest);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  unsigned char before = 0;
  for (const char c : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else if (before == 0xC2 && byte >= 0x80 && byte < 0xA0) {
      out.back() = '\\';
      out += fmt::format("xc2\\x{:02x}", byte);
    } else {
      out.push_back(c);
    }
    before = byte;
  }
  return end < text.size() ? out + "..." : out;
}

// Spelling without what people vary: case, "_", "-" and spaces.
std::string letters_of(const std::string& word) {
  std::string out;
  for (const char c : word) {
    if (c == '_' || c == '-' || c == ' ') continue;
    out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return out;
}

// Edits that turn `a` into `b`, where an edit inserts, removes or replaces a letter, or swaps two neighbours.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

// Whether `edits` are few enough for one of the two to be a slip of the other.
bool is_slip(std::size_t edits, const std::string& a, const std::string& b) {
  return 3 * edits <= std::max(a.size(), b.size());
}

}  // namespace

std::string render_finding(const Finding& f) {
  std::string text;
  if (!f.file.empty()) text += printable(f.file) + ": ";
  text += fmt::format("{}[{}]", f.severity == Severity::kError ? "error" : "warning", f.code);
  if (!f.pointer.empty()) text += " at " + printable(f.pointer);

  std::string detail;
  const auto add = [&detail](const std::string& part) {
    if (!detail.empty()) detail += "; ";
    detail += part;
  };
  if (!f.got.empty()) add("got " + printable(f.got));
  // Ours, but they may name what stands in files.
  const auto whole = [](const std::string& part) { return printable(part, part.size()); };
  const std::string allowed = whole(f.allowed), fix = whole(f.fix), why = whole(f.why);
  if (!allowed.empty()) add("allowed " + allowed);
  if (!fix.empty()) add(fix);
  if (!why.empty()) detail += detail.empty() ? why : " (" + why + ")";
  return detail.empty() ? text : text + ":\n  " + detail;
}

bool Findings::has_errors() const {
  return std::any_of(list_.begin(), list_.end(), [](const Finding& f) { return f.severity == Severity::kError; });
}

std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestWord = 64;
  const std::string wanted = letters_of(word);
  if (wanted.empty() || wanted.size() > kLongestWord) return "";
  std::string best;
  std::pair best_distance(kLongestWord, true);  // and, of two as near, the one that begins with what was written
  for (const std::string& candidate : candidates) {
    const std::string letters = letters_of(candidate);
    const std::pair distance(edit_distance(wanted, letters), !letters.starts_with(wanted));
    if (is_slip(distance.first, wanted, letters) && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (!best.empty()) return best;
  constexpr std::size_t kTellingPart = 4;  // letters; "size" in "sample_size" says enough, "in" does not
  const auto part = std::find_if(candidates.begin(), candidates.end(), [&](const std::string& candidate) {
    return wanted.size() >= kTellingPart && letters_of(candidate).find(wanted) != std::string::npos;
  });
  return part == candidates.end() ? "" : *part;
}

std::string plain_letters(const std::string& word) {
  std::string out;
  for (const char c : word) {
    if (c >= 'A' && c <= 'Z') out.push_back(static_cast<char>(c - 'A' + 'a'));
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out.push_back(c);
  }
  return out;
}

std::string name_list(const std::string& word, const std::vector<std::string>& names, const std::string& where) {
  constexpr std::size_t kNearest = 5;
  if (names.size() <= kMostNames || where.empty()) return fmt::format("{}", fmt::join(names, ", "));
  const std::string wanted = plain_letters(word).substr(0, 64);
  // A name that holds the word, or is held by it, is nearer than any slip.
  std::vector<std::pair<std::pair<bool, std::size_t>, std::string>> near;
  for (const std::string& name : names) {
    const std::string letters = plain_letters(name).substr(0, 64);
    if (wanted.empty() || letters.empty()) continue;
    const bool holds = letters.find(wanted) != std::string::npos || wanted.find(letters) != std::string::npos;
    const std::size_t distance = edit_distance(wanted, letters);
    if (holds || is_slip(distance, wanted, letters)) near.emplace_back(std::pair(!holds, distance), name);
  }
  if (near.empty()) return fmt::format("one of {} ({})", names.size(), where);
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  near.resize(std::min(near.size(), kNearest));
  std::string out;
  for (const auto& [distance, name] : near) out += name + ", ";
  return fmt::format("{}or one of {} others ({})", out, names.size() - near.size(), where);
}

}  // namespace stallcast
