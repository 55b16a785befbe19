#include "core/result/read_level.h"

#include "core/diagnostics/invariant.h"

namespace stallcast {

// A switch without default: the compiler names a level that has no word yet.
std::string_view read_level_name(ReadLevel level) {
  switch (level) {
    case ReadLevel::kPageCache:
      return "page_cache";
    case ReadLevel::kNodeCache:
      return "node_cache";
    case ReadLevel::kPeerCache:
      return "peer_cache";
    case ReadLevel::kServerCache:
      return "server_cache";
    case ReadLevel::kRegionalCache:
      return "regional_cache";
    case ReadLevel::kStorage:
      return "storage";
    case ReadLevel::kOrigin:
      return "origin";
    case ReadLevel::kCount:
      break;
  }
  invariant(false, "read_level_name: kCount is not a level");
  return "";
}

}  // namespace stallcast
