// Fields as people call them: "Read bandwidth of the storage" where JSON has /storage/read_bandwidth.
#pragma once

#include <string>
#include <string_view>

namespace stallcast {

// "Storage capacity" of "/storage/capacity"; of fields without a name of their own "Run seed".
std::string field_title(std::string_view pointer);

// Below a heading that says the group: "Read bandwidth" of "/storage/read_bandwidth"; of fields without a name of their
// own the key in words, "Seed".
std::string field_label(std::string_view pointer);

// The title inside a sentence: "the storage capacity", "the number of loader workers per GPU", "run.seed".
std::string field_noun(std::string_view pointer);

// With a value as --set has it: "a storage capacity of 99000 GiB", "24 loader workers per GPU", "in-order
// delivery off", "run.seed 2".
std::string field_with_value(std::string_view pointer, const std::string& value);

// What to do: "use 24 loader workers per GPU", "turn off in-order delivery", "use the node cache (lru)", "set run.seed
// to 2".
std::string change_phrase(std::string_view pointer, const std::string& value);

}  // namespace stallcast
