// Many HTTP GETs at a time over connections that stay open: libcurl's multi interface behind plain structs.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/object_probe/http/http_message.h"

namespace stallcast {

// **Errors** none for single requests, they are in the answers; WorldError when libcurl cannot start.
class HttpPool {
 public:
  // At most `connections` are open. A request that gets no byte for `silence_s` fails as kTimeout.
  HttpPool(HttpAccess access, int connections, double silence_s);
  ~HttpPool();
  HttpPool(const HttpPool&) = delete;
  HttpPool& operator=(const HttpPool&) = delete;

  void start(const HttpRequest& request);
  // Works until something is complete, `seconds` at the longest.
  std::vector<HttpAnswer> wait(double seconds);
  // Forgets all that is in flight; its connections are closed.
  void abandon();
  int in_flight() const;

  double received_bytes() const;  // bodies, all so far
  // Called with the time and the bytes of every piece of a body that comes with status 200 or 206.
  void watch_arrivals(std::function<void(double at_s, double bytes)> watcher);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stallcast
