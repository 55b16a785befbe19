// A scenario file that says beside each value why it is there.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace stallcast {

struct CommentedValue {
  std::string pointer;  // "/cluster/instance"
  nlohmann::ordered_json value;
  std::string comment;   // "" for what needs none
  bool assumed = false;  // nobody said it
};

// JSON with comments, values in the order of the field table, one a line.
// **Range** each pointer is that of a field, once
std::string commented_file(const std::vector<CommentedValue>& values, const std::string& heading);

}  // namespace stallcast
