#include "core/report/document/document_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/report/charts/chart_svg.h"
#include "core/report/document/html_text.h"
#include "core/report/words/markup.h"

namespace stallcast {
namespace {

bool begins_markup(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (text.empty()) return false;
  if (std::string_view("-+=:").find(text.front()) != std::string_view::npos) return true;
  return digits != 0 && digits != std::string_view::npos && (text[digits] == '.' || text[digits] == ')');
}

// Punctuation that could begin markup gets a backslash, or a reference where HTML could begin. Lines become one, so
// that nothing but the first character stands at the beginning of a line.
std::string escaped(std::string_view text, bool at_line_start = false) {
  const std::string clean = clean_text(text);
  std::string markdown;
  for (const char c : clean) {
    if (c == '<')
      markdown += "&lt;";
    else if (c == '>')
      markdown += "&gt;";
    else if (c == '&')
      markdown += "&amp;";
    else if (c == '\n' || c == '\t')
      markdown += ' ';
    else if (std::string_view("\\`*_[]#|~$").find(c) != std::string_view::npos)
      markdown += {'\\', c};
    else
      markdown += c;
  }
  if (!at_line_start || !begins_markup(clean)) return markdown;
  const std::size_t digits = clean.find_first_not_of("0123456789");
  return markdown.insert(digits, "\\");
}

// What would end a link's target is written as "%28".
std::string target(std::string_view link) {
  std::string encoded;
  for (const char c : clean_text(link)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte > 0x20 && byte < 0x7F && std::string_view("<>()[]\\\"`|").find(c) == std::string_view::npos;
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

// Emphasis must touch its words, not the spaces around them.
std::string emphasised(const std::string& text, const std::string& mark) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return text;
  const std::size_t end = text.find_last_not_of(' ') + 1;
  return text.substr(0, begin) + mark + text.substr(begin, end - begin) + mark + text.substr(end);
}

std::string code_words(const std::string& text) {
  const bool simple = !text.empty() && text.find_first_of("`|\n\t<>&") == std::string::npos && clean_text(text) == text;
  return simple ? fmt::format("`{}`", text) : fmt::format("<code>{}</code>", escaped(text));
}

std::string words_text(const Words& words, bool at_line_start) {
  const std::string text =
      words.style == Words::Style::kCode ? code_words(words.text) : escaped(words.text, at_line_start);
  if (words.link.starts_with("https://")) return fmt::format("[{}]({})", text, target(words.link));
  const std::string anchor = anchor_of(words.link);
  return words.link.starts_with('#') && !anchor.empty() ? fmt::format("[{}](#{})", text, anchor) : text;
}

// Words of strong style, all of them when `strong`, that follow each other are emphasised as one.
std::string markdown_text(const Text& text, bool at_line_start = true, bool strong = false) {
  const auto is_strong = [strong](const Words& words) { return strong || words.style == Words::Style::kStrong; };
  std::string markdown;
  for (auto words = text.begin(); words != text.end();) {
    const bool emphasise = is_strong(*words);
    std::string run;
    for (; words != text.end() && is_strong(*words) == emphasise; ++words)
      run += words_text(*words, at_line_start && markdown.empty() && run.empty());
    markdown += emphasise ? emphasised(run, "**") : run;
  }
  return markdown;
}

std::string anchor_line(const std::string& id) {
  return id.empty() ? "" : fmt::format("<a id=\"{}\"></a>\n\n", anchor_of(id));
}

// Longer than any run of backticks inside.
std::string fence_for(const std::string& text) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

class MarkdownWriter {
 public:
  explicit MarkdownWriter(const std::string& stem) { files_.folder = stem + "_files"; }

  void section(const Section& part, std::size_t level) {
    out_ += anchor_line(part.id);
    heading(part.title, level);
    for (const Block& one : part.blocks) std::visit([this](const auto& block) { add(block); }, one);
    for (const Section& inner : part.parts) section(inner, std::min<std::size_t>(level + 1, 6));
  }
  void heading(const std::string& title, std::size_t level) {
    out_ += fmt::format("{} {}\n\n", std::string(level, '#'), escaped(title));
  }
  void paragraph(const std::string& markdown) { out_ += markdown + "\n\n"; }

  // Puts a file beside, unless it is there already, and returns a link to it.
  std::string beside(const std::string& file_name, const std::string& text) {
    const std::string safe = safe_file_name(file_name);
    for (int i = 1;; ++i) {
      const std::string name = i == 1 ? safe : fmt::format("{}-{}", i, safe);
      const auto there =
          std::find_if(files_.files.begin(), files_.files.end(), [&](const auto& file) { return file.name == name; });
      if (there != files_.files.end() && there->text != text) continue;
      if (there == files_.files.end()) files_.files.push_back({name, text});
      return target(files_.folder + "/" + name);
    }
  }
  void link_beside(const std::string& file_name, const std::string& text) {
    out_ += fmt::format("- [{}]({})\n", escaped(file_name), beside(file_name, text));
  }

  MarkdownFiles take() {
    files_.text = std::move(out_);
    return std::move(files_);
  }

 private:
  void add(const Paragraph& block) { paragraph(markdown_text(block.text)); }

  void add(const BulletList& list) {
    for (const Text& item : list.items)
      out_ += fmt::format("- {}{}\n", list.to_tick ? "[ ] " : "", markdown_text(item));
    out_ += "\n";
  }

  void add(const DocumentTable& table) {
    out_ += anchor_line(table.id);
    if (!table.caption.empty()) paragraph(emphasised(escaped(table.caption), "*"));
    std::string heads = "|", rulers = "|";
    for (const DocumentTable::Column& column : table.columns) {
      heads += fmt::format(" {} |", escaped(column.heading));
      rulers += column.numeric ? " ---: |" : " --- |";
    }
    out_ += heads + "\n" + rulers + "\n";
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      out_ += "|";
      for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const bool known = column < table.rows[i].size();
        out_ += fmt::format(" {} |", known ? markdown_text(table.rows[i][column], false, table.chosen == i) : "");
      }
      out_ += "\n";
    }
    out_ += "\n";
  }

  void add(const CodeBlock& block) {
    if (!block.file_name.empty()) {
      link_beside(block.file_name, block.text);
      out_ += "\n";
      if (block.folded) return;
    }
    std::string language;
    for (const char c : block.language)
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) language += c;
    const std::string text = clean_text(block.text), fence = fence_for(text);
    out_ += fmt::format("{}{}\n{}{}{}\n\n", fence, language, text, text.ends_with('\n') ? "" : "\n", fence);
  }

  void add(const ChartBlock& block) {
    const std::string id = anchor_of(block.chart.id);
    const std::string picture = beside(id + ".svg", chart_svg(block.chart));
    paragraph(fmt::format("![{}]({})", escaped(block.chart.alt), picture));
    paragraph(
        fmt::format("[Data of: {}]({})", escaped(block.chart.title), beside(id + ".csv", chart_csv(block.chart))));
  }

  std::string out_;
  MarkdownFiles files_;
};

}  // namespace

MarkdownFiles document_markdown(const Document& document, const std::string& stem) {
  MarkdownWriter writer(stem);
  writer.heading(document.title, 1);
  if (!document.subtitle.empty()) writer.paragraph(escaped(document.subtitle, true));
  for (const Section& section : document.sections) writer.section(section, 2);
  writer.heading("Files", 2);
  writer.link_beside("results.json",
                     document.data.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  for (const Attachment& file : document.attachments) writer.link_beside(file.file_name, file.text);
  return writer.take();
}

}  // namespace stallcast
