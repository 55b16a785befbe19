#include "core/object_probe/object_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostics/finding.h"
#include "core/object_probe/bucket_opening.h"
#include "core/object_probe/object_asker.h"

namespace stallcast {
namespace {

constexpr double kLongestSilence_s = 10.0;

// Follows a URL to where the object is. false when a stop was requested.
bool follow_url(ObjectSource& source, ObjectBudget& budget) {
  constexpr int kHops = 5;
  const ObjectUrl& named = source.place.url;
  std::string url = named.address;
  source.access.user = named.user;
  source.access.password = named.password;
  for (int hop = 0; hop <= kHops; ++hop) {
    source.place.server = server_of(url);
    ObjectAsker asker(source.access, source.place, budget);
    const auto answer = asker.ask({.url = url, .bytes = kPeek, .body_limit = kPeek});
    if (!answer) return false;
    if (answer->status >= 300 && answer->status < 400 && !answer->redirect.empty()) {
      const std::string before = server_of(url), after = server_of(answer->redirect);
      if (before.rfind("https:", 0) == 0 && after.rfind("https:", 0) != 0)
        throw WorldError(
            fmt::format("{} sends the request on to {}, which is not encrypted: not followed", before, after));
      if (before != after) source.access = {};  // a password is for the server it was given for
      if (before != after)
        source.notes.push_back(fmt::format("{} sends requests on to {}, which was measured.", before, after));
      url = answer->redirect;
      continue;
    }
    if (answer->status != 200 && answer->status != 206) throw WorldError(refusal(*answer, source.place, false));
    if (answer->object_bytes == 0) throw WorldError(fmt::format("{} is empty: there is nothing to read", named.shown));
    source.ranges = answer->status == 206;
    source.cached = !answer->cache.empty();
    source.objects.push_back({url, answer->object_bytes});
    return true;
  }
  throw WorldError(
      fmt::format("{} is redirected more than {} times: does it lead back to itself?", named.shown, kHops));
}

// One byte of one object of a bucket: may it be read, and in parts? false when a stop was requested.
bool try_object(ObjectSource& source, ObjectBudget& budget) {
  ObjectAsker asker(source.access, source.place, budget);
  const auto answer = asker.ask({.url = source.objects.front().url, .bytes = kPeek, .body_limit = kPeek});
  if (!answer) return false;
  if (answer->status != 200 && answer->status != 206) throw WorldError(refusal(*answer, source.place, false));
  source.ranges = answer->status == 206 || source.objects.front().bytes <= kPeek;
  return true;
}

}  // namespace

std::optional<ObjectSource> open_objects(const ObjectUrl& url, ObjectBudget& budget) {
  ObjectSource source;
  source.place.url = url;
  source.place.silence_s = std::clamp(budget.seconds_left() / 2.0, 1.0, kLongestSilence_s);
  if (url.kind == ProbeTarget::kHttps) {
    if (!follow_url(source, budget)) return std::nullopt;
  } else {
    if (!open_bucket(source, budget, find_s3_settings(url.kind)) || !try_object(source, budget)) return std::nullopt;
  }
  if (!source.ranges)
    source.notes.push_back(
        fmt::format("{} ignores Range: every request reads an object from its beginning, and is cut "
                    "off where only part of it is wanted.",
                    source.place.server));
  return source;
}

}  // namespace stallcast
