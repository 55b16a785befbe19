// Walks that several runs have in common: with checkpoints seldom and often, at other prices, under other failures, the
// steps without checkpoints are the same.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/steps/walk.h"

namespace stallcast {

// Finished walks by walk_key(); the latest ones only. From any thread.
class KnownWalks {
 public:
  static constexpr std::size_t kDefaultKept = 512;  // about 10 kB each
  explicit KnownWalks(std::size_t kept = kDefaultKept) : kept_(kept) {}

  std::optional<Walk> find(const std::string& key) const;
  void keep(const std::string& key, const Walk& walk);
  std::size_t size() const;

 private:
  using Walks = std::map<std::string, Walk>;

  mutable std::mutex mutex_;
  std::size_t kept_;
  Walks walks_;
  std::deque<Walks::iterator> oldest_first_;
};

// The options with walks to share, where they have none yet: for questions that take many runs.
RunOptions sharing_walks(RunOptions options);

// All that a walk depends on, as bytes: equal keys, equal walks bit for bit. Not of one that is traced or replayed.
std::string walk_key(const Scenario& job, const Outline& outline, const Setup& setup);

}  // namespace stallcast
