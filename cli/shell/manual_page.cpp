#include "cli/shell/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "cli/shell/command_tree.h"

namespace stallcast {
namespace {

// Text as roff prints it: a hyphen that can be copied, and no request where a line begins with a dot or an apostrophe.
std::string roff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string argument(const CLI::Option& option) {
  const std::string name = italic(option.get_single_name()) + (option.get_expected_max() > 1 ? " ..." : "");
  return option.get_required() ? name : "[" + name + "]";
}

// "stallcast simulate [OPTIONS] SCENARIO"
std::string synopsis(const CLI::App& command, const std::string& words) {
  std::string out = bold(words) + " [" + italic("OPTIONS") + "]";
  for (const CLI::Option* option : command.get_options()) {
    if (is_positional(*option)) out += " " + argument(*option);
  }
  if (!commands_of(command).empty()) out += " " + italic("COMMAND") + " ...";
  return out + "\n";
}

// What NAME has: no full stop.
std::string title(std::string text) {
  if (!text.empty() && text.back() == '.') text.pop_back();
  return text;
}

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

std::string option_text(const CLI::Option& option) {
  std::string text = sentence(option.get_description());
  if (const std::vector<std::string> words = choices(option); !words.empty())
    text += fmt::format(" One of: {}.", fmt::join(words, ", "));
  if (const std::string range = value_range(option); !range.empty()) text += " Allowed: " + range + ".";
  if (!option.get_default_str().empty()) text += " Default: " + option.get_default_str() + ".";
  if (option.get_required() && !is_positional(option)) text += " Must be given.";
  for (const CLI::Option* other : option.get_needs()) text += " Only with " + other->get_name() + ".";
  return text;
}

std::string option_heading(const CLI::Option& option) {
  if (is_positional(option)) return italic(option.get_single_name());
  std::string out;
  for (const std::string& name : spellings(option)) out += (out.empty() ? "" : ", ") + bold(name);
  return takes_value(option) ? out + " " + italic(value_name(option)) : out;
}

// Arguments first.
std::string options(const CLI::App& command) {
  std::vector<const CLI::Option*> all = command.get_options();
  std::stable_partition(all.begin(), all.end(), [](const CLI::Option* option) { return is_positional(*option); });
  std::string out;
  for (const CLI::Option* option : all)
    out += ".TP\n" + option_heading(*option) + "\n" + roff(option_text(*option)) + "\n";
  return out;
}

struct FooterParagraph {
  std::string heading;
  std::vector<std::string> lines;  // those that begin with spaces are printed as they stand
};

// Of a footer: "Heading: text", or "Heading:" and indented lines; paragraphs are apart by an empty line.
std::vector<FooterParagraph> paragraphs(const std::string& footer) {
  std::vector<FooterParagraph> all;
  std::istringstream in(footer);
  bool inside = false;
  for (std::string line; std::getline(in, line); inside = !line.empty()) {
    if (line.empty()) continue;
    if (inside) {
      all.back().lines.push_back(line);
      continue;
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    all.push_back({line.substr(0, colon), {}});
    if (colon + 2 < line.size()) all.back().lines.push_back(line.substr(colon + 2));
  }
  return all;
}

// Sections of the footer; of indented lines those that run `words`, and of the rest everything.
std::string footer_sections(const std::string& footer, const std::string& words) {
  std::string out;
  for (const FooterParagraph& paragraph : paragraphs(footer)) {
    std::string body;
    for (const std::string& line : paragraph.lines) {
      const std::size_t text = line.find_first_not_of(' ');
      if (text == 0) {
        body += roff(line) + "\n";
      } else if (line.compare(text, words.size(), words) == 0) {
        body += ".PP\n.nf\n" + roff(line) + "\n.fi\n";
      }
    }
    if (body.rfind(".PP\n", 0) == 0) body.erase(0, 4);  // a heading has space below it
    if (!body.empty()) out += ".SH " + roff(capitals(paragraph.heading)) + "\n" + body;
  }
  return out;
}

std::string list_of(const CLI::App& program, const std::vector<const CLI::App*>& commands) {
  std::string out;
  for (const CLI::App* command : commands) {
    out += ".TP\n" + bold(program.get_name() + "-" + command->get_name()) + "(1)\n" +
           roff(sentence(command->get_description())) + "\n";
  }
  return out;
}

std::string inner_commands(const CLI::App& command, const std::string& words) {
  std::string out;
  for (const CLI::App* inner : commands_of(command)) {
    const std::string inner_words = words + " " + inner->get_name();
    out += ".SS " + roff(inner_words) + "\n" + synopsis(*inner, inner_words) + ".PP\n" +
           roff(sentence(inner->get_description())) + "\n" + options(*inner);
  }
  return out.empty() ? out : ".SH COMMANDS\n" + out;
}

}  // namespace

std::vector<ManualPage> manual_pages(const CLI::App& program, const std::string& version, const std::string& date) {
  const std::string& own = program.get_name();
  const auto page = [&](const CLI::App& command, const std::string& name, const std::string& words,
                        const std::string& commands, const std::string& see_also) {
    return ManualPage{name, fmt::format(".TH {} 1 {} \"{}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", capitals(name),
                                        date, own + " " + version, name, roff(title(command.get_description()))) +
                                ".SH SYNOPSIS\n" + synopsis(command, words) + ".SH DESCRIPTION\n" +
                                roff(sentence(command.get_description())) + "\n.SH OPTIONS\n" + options(command) +
                                commands + footer_sections(command.get_footer(), words) + ".SH SEE ALSO\n" + see_also};
  };
  const std::vector<const CLI::App*> commands = commands_of(program);
  std::string others;
  for (const CLI::App* command : commands)
    others += fmt::format("{}{}(1)", others.empty() ? "" : ",\n", bold(own + "-" + command->get_name()));
  std::vector<ManualPage> pages = {
      page(program, own, own, ".SH COMMANDS\n" + list_of(program, commands), others + "\n")};
  for (const CLI::App* command : commands) {
    const std::string words = own + " " + command->get_name();
    pages.push_back(
        page(*command, own + "-" + command->get_name(), words, inner_commands(*command, words), bold(own) + "(1)\n"));
  }
  return pages;
}

}  // namespace stallcast
