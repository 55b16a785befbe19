// A store or a URL made ready to be measured: reached, listed, one object tried.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/object_probe/http/http_message.h"
#include "core/object_probe/http/object_failures.h"
#include "core/object_probe/object_budget.h"
#include "core/probe/disk/read_point.h"

namespace stallcast {

struct ReadableObject {
  std::string url;  // may hold a signature: not for output
  double bytes = 0.0;
};

struct ObjectSource {
  HttpAccess access;
  ObjectPlace place;
  std::vector<ReadableObject> objects;  // not empty, none of them empty; one for a plain URL
  bool ranges = true;                   // the server serves parts
  bool cached = false;                  // a cache on the way answered
  std::optional<ReadPoint> list;        // cost of listing; latency is that of a page
  std::vector<std::string> notes;
};

// Lists up to three pages of a bucket (following it once to another region), or follows a URL's redirects, then reads
// one byte of one object.
// **Errors** WorldError in words that say what to do: no connection, no such bucket or object, a key that is refused,
// an empty bucket, a store that only throttles. Nothing when a stop was requested before it was ready.
std::optional<ObjectSource> open_objects(const ObjectUrl& url, ObjectBudget& budget);

}  // namespace stallcast
