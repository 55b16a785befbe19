// Files that stallcast writes for other programs, as data, and the quoting that keeps any text in them harmless.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stallcast {

struct EmittedFile {
  std::string name;  // without a folder
  std::string text;
  bool operator==(const EmittedFile&) const = default;
};

// `text` as part of a comment line in shell, Python, YAML, fio and JSON: control characters, line separators and marks
// that change the direction of writing become spaces.
std::string comment_text(std::string_view text);

// Lines that each start with "# "; a line of 0 characters becomes "#".
std::string comment_lines(const std::vector<std::string>& lines);

// `text` as Terraform must read it inside a JSON string to see exactly it: "${" and "%{" start an expression there.
std::string terraform_text(std::string_view text);

// A name that every cloud takes: lower-case letters, digits and hyphens, a letter first, 40 characters at most;
// "stallcast" where nothing of `text` is left.
std::string resource_name(std::string_view text);

// A command with its arguments, one a line.
class ShellCommand {
 public:
  explicit ShellCommand(std::string command) : words_{std::move(command)} {}

  // A word that the shell shall see as it is written here: an option, or one with "${VARIABLE}" in double quotes.
  ShellCommand& raw(std::string word);
  // --name=value
  ShellCommand& option(std::string_view name, std::string_view value);
  // --name="${VARIABLE}"
  ShellCommand& variable(std::string_view name, std::string_view variable);
  // --name value, as aws and az have it.
  ShellCommand& spaced(std::string_view name, std::string_view value);
  ShellCommand& spaced_variable(std::string_view name, std::string_view variable);

  std::string text() const;

 private:
  std::vector<std::string> words_;
};

// A variable that a script needs and nobody but its user knows.
struct ShellVariable {
  std::string name;
  std::string meaning;  // "the Google Cloud project"
  bool operator==(const ShellVariable&) const = default;
};

// Collects a script: what it needs is checked before the first command runs.
class ShellScript {
 public:
  // `about`: comment lines under the interpreter.
  explicit ShellScript(std::vector<std::string> about) : about_(std::move(about)) {}

  void need(std::string name, std::string meaning);
  // After the checks: NAME=expression, as "${ZONE%-*}".
  void derive(std::string line);
  void comment(const std::vector<std::string>& lines);
  void run(const ShellCommand& command);
  void line(std::string text);

  std::string text() const;

 private:
  std::vector<std::string> about_, derived_, body_;
  std::vector<ShellVariable> needed_;
};

}  // namespace stallcast
