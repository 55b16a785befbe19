// YAML as plain data with the place of every value: enough for benchmark configurations, safe for any file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/diagnostics/finding.h"

namespace stallcast {

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };
  struct Member;

  Kind kind = Kind::kNull;
  std::string scalar;  // as written, without quotes
  std::vector<YamlNode> items;
  std::vector<Member> members;  // in the order of the file
  int line = 0;                 // from 1; 0 when the node is not from a file
  int column = 0;

  const YamlNode* find(const std::string& key) const;
  // The node at `path`, made of maps on the way as needed. A scalar on the way becomes a map.
  YamlNode& at_path(const std::vector<std::string>& path);
  // "line 3, column 7", or "" for a node that is not from a file.
  std::string place() const;
};

struct YamlNode::Member {
  std::string key;
  YamlNode value;
};

struct YamlLimits {
  std::size_t max_depth = 64;
  std::size_t max_nodes = 20000;
};

// The first document of `text`; `file` names it in findings.
// Findings, all errors: "invalid_yaml" with line and column; "too_deep"; "too_large" (nodes); "alias_not_supported"
// (aliases let a small file stand for an endless one); "duplicate_key"; "empty_file".
Loaded<YamlNode> parse_yaml(const std::string& text, const std::string& file, const YamlLimits& limits = {});

}  // namespace stallcast
