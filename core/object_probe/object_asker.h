// Single requests, one at a time, before anything is measured.
#pragma once

#include <optional>

#include "core/object_probe/http/http_pool.h"
#include "core/object_probe/http/object_failures.h"
#include "core/object_probe/object_budget.h"

namespace stallcast {

constexpr double kPeek = 1.0;  // bytes read of an object to see whether it is there

class ObjectAsker {
 public:
  // `place` is for the words of errors.
  ObjectAsker(HttpAccess access, ObjectPlace place, ObjectBudget& budget);

  // The answer, whatever its status; up to five attempts where asking again may help. Nothing when a stop was
  // requested.
  // **Errors** WorldError when no answer comes, or the limits leave too few bytes or seconds for it.
  std::optional<HttpAnswer> ask(const HttpRequest& request);

 private:
  std::optional<HttpAnswer> attempt(const HttpRequest& request);
  bool pause(double seconds) const;  // false when there is no time for it

  ObjectPlace place_;
  ObjectBudget& budget_;
  HttpPool pool_;
};

// How long to wait before a request is tried again: 0.1 s doubled with each attempt, or what the server asked for, 5 s
// at the longest.
double back_off_s(int attempt, const HttpAnswer& answer);

}  // namespace stallcast
