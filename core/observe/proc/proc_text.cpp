#include "core/observe/proc/proc_text.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace stallcast {
namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = text.find_first_not_of(" \t\n", at);
    if (from == std::string_view::npos) break;
    at = std::min(text.find_first_of(" \t\n", from), text.size());
    words.push_back(text.substr(from, at - from));
  }
  return words;
}

template <class Number>
std::optional<Number> whole_number(std::string_view word, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> counter(std::string_view word) {
  const auto value = whole_number<std::int64_t>(word);
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

}  // namespace

std::optional<ProcStat> parse_proc_stat(std::string_view text) {
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  const std::vector<std::string_view> after = words_of(text.substr(close + 1));
  constexpr std::size_t kParent = 1, kStart = 19;  // fields 4 and 22
  if (after.size() <= kStart || after[0].size() != 1) return std::nullopt;
  const auto parent = whole_number<int>(after[kParent]);
  const auto start = counter(after[kStart]);
  if (!parent || !start) return std::nullopt;
  return ProcStat{std::string(text.substr(open + 1, close - open - 1)), after[0][0], *parent, *start};
}

ProcIo& ProcIo::operator+=(const ProcIo& other) {
  read_bytes += other.read_bytes;
  written_bytes += other.written_bytes;
  reads += other.reads;
  writes += other.writes;
  fetched_bytes += other.fetched_bytes;
  return *this;
}

ProcIo operator-(const ProcIo& later, const ProcIo& earlier) {
  return {later.read_bytes - earlier.read_bytes, later.written_bytes - earlier.written_bytes,
          later.reads - earlier.reads, later.writes - earlier.writes, later.fetched_bytes - earlier.fetched_bytes};
}

std::optional<ProcIo> parse_proc_io(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  ProcIo io;
  std::size_t found = 0;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const auto value = counter(words[i + 1]);
    double* const to = words[i] == "rchar:"        ? &io.read_bytes
                       : words[i] == "wchar:"      ? &io.written_bytes
                       : words[i] == "syscr:"      ? &io.reads
                       : words[i] == "syscw:"      ? &io.writes
                       : words[i] == "read_bytes:" ? &io.fetched_bytes
                                                   : nullptr;
    if (to == nullptr || !value) continue;
    *to = *value;
    ++found;
  }
  return found == 5 ? std::optional(io) : std::nullopt;
}

std::optional<CoreTimes> parse_schedstat(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() < 2) return std::nullopt;
  const auto ran = counter(words[0]), queued = counter(words[1]);
  if (!ran || !queued) return std::nullopt;
  const auto turns = words.size() > 2 ? counter(words[2]) : std::nullopt;
  return CoreTimes{1e-9 * *ran, 1e-9 * *queued, turns.value_or(0.0)};
}

std::optional<BlockedIn> parse_blocked_in(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  BlockedIn out;
  if (words.empty()) return std::nullopt;
  if (words[0] == "running") {
    out.running = true;
    return out;
  }
  const auto call = whole_number<long>(words[0]);
  if (!call) return std::nullopt;
  out.call = *call;
  for (std::size_t i = 0; *call >= 0 && i < out.arguments.size() && i + 1 < words.size(); ++i) {
    std::string_view word = words[i + 1];
    if (word.substr(0, 2) == "0x") word.remove_prefix(2);
    out.arguments[i] = whole_number<std::uint64_t>(word, 16).value_or(0);
  }
  return out;
}

std::string status_value(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.substr(0, key.size()) == key && line.size() > key.size() && line[key.size()] == ':') {
      const std::size_t from = line.find_first_not_of(" \t", key.size() + 1);
      return from == std::string_view::npos ? "" : std::string(line.substr(from));
    }
    at = end + 1;
  }
  return "";
}

int count_of_list(std::string_view list) {
  int count = 0;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string_view part = list.substr(at, end - at);
    const std::size_t dash = part.find('-');
    const auto first = whole_number<int>(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : whole_number<int>(part.substr(dash + 1));
    if (!first || !last || *last < *first) return 0;
    count += *last - *first + 1;
    at = end + 1;
  }
  return count;
}

}  // namespace stallcast
