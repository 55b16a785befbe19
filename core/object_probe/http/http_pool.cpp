#include "core/object_probe/http/http_pool.h"

#include <curl/curl.h>

#include <cmath>
#include <utility>

#include "core/diagnostics/finding.h"
#include "core/object_probe/http/http_session.h"
#include "core/object_probe/http/http_transfer.h"

namespace stallcast {

struct HttpPool::State {
  State(HttpAccess access, double silence_s) : session(std::move(access), silence_s), multi(curl_multi_init()) {
    if (multi == nullptr) throw WorldError("libcurl has no memory for connections");
  }

  HttpTransfer& idle_transfer() {
    for (const auto& transfer : transfers)
      if (!transfer->active()) return *transfer;
    transfers.push_back(std::make_unique<HttpTransfer>(session));
    return *transfers.back();
  }

  // Adds what is complete.
  void collect(std::vector<HttpAnswer>& answers) {
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* easy = message->easy_handle;
      const CURLcode code = message->data.result;  // NOLINT(cppcoreguidelines-pro-type-union-access): libcurl's
      HttpTransfer& transfer = HttpTransfer::of(easy);
      curl_multi_remove_handle(multi, easy);
      answers.push_back(transfer.finish(code));
      --in_flight;
    }
  }

  HttpSession session;
  CURLM* multi;
  std::vector<std::unique_ptr<HttpTransfer>> transfers;
  int in_flight = 0;
};

HttpPool::HttpPool(HttpAccess access, int connections, double silence_s)
    : state_(std::make_unique<State>(std::move(access), silence_s)) {
  curl_multi_setopt(state_->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(connections));
  curl_multi_setopt(state_->multi, CURLMOPT_MAXCONNECTS, static_cast<long>(connections));
}

HttpPool::~HttpPool() {
  abandon();
  state_->transfers.clear();
  curl_multi_cleanup(state_->multi);
}

void HttpPool::start(const HttpRequest& request) {
  HttpTransfer& transfer = state_->idle_transfer();
  transfer.begin(request);
  if (curl_multi_add_handle(state_->multi, transfer.easy()) != CURLM_OK)
    throw WorldError("libcurl does not take another request");
  ++state_->in_flight;
}

std::vector<HttpAnswer> HttpPool::wait(double seconds) {
  int running = 0;
  curl_multi_perform(state_->multi, &running);
  std::vector<HttpAnswer> answers;
  state_->collect(answers);
  if (!answers.empty() || seconds <= 0.0) return answers;
  curl_multi_poll(state_->multi, nullptr, 0, static_cast<int>(std::lround(std::ceil(seconds * 1e3))), nullptr);
  curl_multi_perform(state_->multi, &running);
  state_->collect(answers);
  return answers;
}

void HttpPool::abandon() {
  for (const auto& transfer : state_->transfers) {
    if (!transfer->active()) continue;
    curl_multi_remove_handle(state_->multi, transfer->easy());
    transfer->abandon();
  }
  state_->in_flight = 0;
}

int HttpPool::in_flight() const { return state_->in_flight; }
double HttpPool::received_bytes() const { return state_->session.received; }
void HttpPool::watch_arrivals(std::function<void(double, double)> watcher) {
  state_->session.watcher = std::move(watcher);
}

}  // namespace stallcast
