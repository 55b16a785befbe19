// Which fields a newcomer meets first.
#pragma once

#include <span>
#include <string_view>

namespace stallcast {

// JSON pointers of the fields that decide most answers: what runs where, on which data, from which storage, how long.
std::span<const std::string_view> essential_fields();

// Those that many jobs set besides.
std::span<const std::string_view> common_fields();

}  // namespace stallcast
