#include "core/import/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>

namespace stallcast {
namespace {

// Stops the parser from inside an event; caught in parse_yaml.
struct StopParsing {
  Finding finding;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, const YamlLimits& limits) : file_(file), limits_(limits) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(node(YamlNode::Kind::kNull, mark)); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    stop("alias_not_supported", mark, "an alias (*name)", "values written out",
         "aliases let a small file stand for an endless one");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    YamlNode scalar = node(YamlNode::Kind::kScalar, mark);
    scalar.scalar = value;
    const bool plain = tag == "?" || tag.empty();
    if (plain && (value == "~" || value == "null" || value == "Null" || value == "NULL" || value.empty())) {
      scalar.kind = YamlNode::Kind::kNull;
    }
    add(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(node(YamlNode::Kind::kSequence, mark));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(node(YamlNode::Kind::kMap, mark));
  }
  void OnMapEnd() override { close(); }

  std::optional<YamlNode> take() { return std::move(root_); }

 private:
  struct Level {
    YamlNode node;
    std::optional<std::string> key;  // read, waiting for its value
  };

  [[noreturn]] void stop(const std::string& code, const YAML::Mark& mark, const std::string& got,
                         const std::string& allowed, const std::string& why = "") const {
    throw StopParsing{{Severity::kError, code, file_, "",
                       fmt::format("{} at line {}, column {}", got, mark.line + 1, mark.column + 1), allowed, "", why}};
  }

  YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark) {
    if (++nodes_ > limits_.max_nodes)
      stop("too_large", mark, "more values", fmt::format("at most {} values", limits_.max_nodes));
    YamlNode made;
    made.kind = kind;
    made.line = mark.line + 1;
    made.column = mark.column + 1;
    mark_ = mark;
    return made;
  }

  void open(YamlNode node) {
    if (levels_.size() >= limits_.max_depth) {
      stop("too_deep", mark_, "one more level", fmt::format("at most {} levels", limits_.max_depth));
    }
    levels_.push_back({std::move(node), std::nullopt});
  }

  void close() {
    YamlNode done = std::move(levels_.back().node);
    levels_.pop_back();
    add(std::move(done));
  }

  void add(YamlNode value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == YamlNode::Kind::kSequence) {
      level.node.items.push_back(std::move(value));
    } else if (!level.key) {
      if (value.kind != YamlNode::Kind::kScalar) stop("invalid_yaml", mark_, "a key that is not a word", "plain keys");
      if (level.node.find(value.scalar) != nullptr) {
        stop("duplicate_key", mark_, fmt::format("\"{}\" a second time", value.scalar), "every key once");
      }
      level.key = std::move(value.scalar);
    } else {
      level.node.members.push_back({std::move(*level.key), std::move(value)});
      level.key.reset();
    }
  }

  const std::string& file_;
  const YamlLimits& limits_;
  std::vector<Level> levels_;
  std::optional<YamlNode> root_;
  std::size_t nodes_ = 0;
  YAML::Mark mark_;
};

}  // namespace

const YamlNode* YamlNode::find(const std::string& key) const {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

YamlNode& YamlNode::at_path(const std::vector<std::string>& path) {
  YamlNode* node = this;
  for (const std::string& key : path) {
    if (node->kind != Kind::kMap) {
      *node = YamlNode{};
      node->kind = Kind::kMap;
    }
    YamlNode* next = nullptr;
    for (auto& [name, value] : node->members) {
      if (name == key) next = &value;
    }
    if (next == nullptr) next = &node->members.emplace_back(Member{key, {}}).value;
    node = next;
  }
  return *node;
}

std::string YamlNode::place() const { return line > 0 ? fmt::format("line {}, column {}", line, column) : ""; }

Loaded<YamlNode> parse_yaml(const std::string& text, const std::string& file, const YamlLimits& limits) {
  Loaded<YamlNode> loaded;
  TreeBuilder builder(file, limits);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    const bool found = parser.HandleNextDocument(builder);
    loaded.value = builder.take();
    if (!found || !loaded.value) {
      loaded.value.reset();
      loaded.findings.add({Severity::kError, "empty_file", file, "", "no value", "a YAML map", "", ""});
    }
  } catch (const StopParsing& stopped) {
    loaded.findings.add(stopped.finding);
  } catch (const YAML::Exception& problem) {
    loaded.findings.add(
        {Severity::kError, "invalid_yaml", file, "",
         fmt::format("{} at line {}, column {}", problem.msg, problem.mark.line + 1, problem.mark.column + 1),
         "a YAML file", "", ""});
  }
  return loaded;
}

}  // namespace stallcast
