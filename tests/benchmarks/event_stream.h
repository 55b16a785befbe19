// What a model asks of its event queue, recorded: the time of each event pushed, and where one was taken out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/engine/sim_time.h"

namespace stallcast::benchmarks {

using EventStream = std::vector<SimTime>;  // a time >= 0 was pushed; kPopped: the first was taken out
inline constexpr SimTime kPopped = -1;
inline constexpr std::size_t kLongestStream = 2'000'000;  // operations; a recorder keeps the first

// The file is the numbers one after the other, in this machine's byte order: it is read where it was written.
inline void write_stream(const std::filesystem::path& path, const EventStream& stream) {
  std::ofstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.write(reinterpret_cast<const char*>(stream.data()),
             static_cast<std::streamsize>(stream.size() * sizeof(SimTime)));
}

inline EventStream read_stream(const std::filesystem::path& path) {
  EventStream stream(std::filesystem::file_size(path) / sizeof(SimTime));
  std::ifstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.read(reinterpret_cast<char*>(stream.data()), static_cast<std::streamsize>(stream.size() * sizeof(SimTime)));
  return stream;
}

}  // namespace stallcast::benchmarks
