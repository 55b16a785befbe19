#include "core/plan/emit/emitted_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/plan/sweep/shell_words.h"

namespace stallcast {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Bytes of the character at `at` that no comment may hold; 0 = it may.
std::size_t unwanted(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const unsigned first = byte(at);
  if (first < 0x20 || first == 0x7F) return 1;
  if (first == 0xC2 && byte(at + 1) >= 0x80 && byte(at + 1) <= 0x9F) return 2;  // C1 controls, next line
  if (first != 0xE2) return 0;
  const unsigned second = byte(at + 1);
  const unsigned third = byte(at + 2);
  const bool separator_or_embedding = second == 0x80 && third >= 0xA8 && third <= 0xAE;
  const bool isolate = second == 0x81 && third >= 0xA6 && third <= 0xA9;
  return separator_or_embedding || isolate ? 3 : 0;
}

}  // namespace

std::string comment_text(std::string_view text) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bad = unwanted(text, at);
    clean += bad > 0 ? ' ' : text[at];
    at += std::max<std::size_t>(1, bad);
  }
  return clean;
}

std::string comment_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line.empty() ? "#\n" : "# " + comment_text(line) + "\n";
  return text;
}

std::string terraform_text(std::string_view text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] == '$' || text[i] == '%') && i + 1 < text.size() && text[i + 1] == '{') escaped += text[i];
    escaped += text[i];
  }
  return escaped;
}

std::string resource_name(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string name;
  for (const char c : text) {
    if (name.size() == kMost) break;
    if (is_letter(c)) {
      name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    } else if (is_digit(c) && !name.empty()) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "stallcast" : name;
}

ShellCommand& ShellCommand::raw(std::string word) {
  words_.push_back(std::move(word));
  return *this;
}

ShellCommand& ShellCommand::option(std::string_view name, std::string_view value) {
  return raw(fmt::format("{}={}", name, shell_word(std::string(value))));
}

ShellCommand& ShellCommand::variable(std::string_view name, std::string_view variable) {
  return raw(fmt::format("{}=\"${{{}}}\"", name, variable));
}

ShellCommand& ShellCommand::spaced(std::string_view name, std::string_view value) {
  return raw(fmt::format("{} {}", name, shell_word(std::string(value))));
}

ShellCommand& ShellCommand::spaced_variable(std::string_view name, std::string_view variable) {
  return raw(fmt::format("{} \"${{{}}}\"", name, variable));
}

std::string ShellCommand::text() const { return fmt::format("{}\n", fmt::join(words_, " \\\n  ")); }

void ShellScript::need(std::string name, std::string meaning) {
  ShellVariable variable{std::move(name), std::move(meaning)};
  if (std::find(needed_.begin(), needed_.end(), variable) == needed_.end()) needed_.push_back(std::move(variable));
}

void ShellScript::derive(std::string line) {
  if (std::find(derived_.begin(), derived_.end(), line) == derived_.end()) derived_.push_back(std::move(line));
}

void ShellScript::comment(const std::vector<std::string>& lines) { body_.push_back("\n" + comment_lines(lines)); }
void ShellScript::run(const ShellCommand& command) { body_.push_back(command.text()); }
void ShellScript::line(std::string text) { body_.push_back(std::move(text) + "\n"); }

std::string ShellScript::text() const {
  std::string all = "#!/usr/bin/env bash\n" + comment_lines(about_) + "set -euo pipefail\n\n";
  for (const ShellVariable& variable : needed_)
    all += fmt::format(": \"${{{}:?set {} to {}}}\"\n", variable.name, variable.name, variable.meaning);
  for (const std::string& line : derived_) all += line + "\n";
  return all + fmt::format("{}", fmt::join(body_, ""));
}

}  // namespace stallcast
