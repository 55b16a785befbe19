// What the requests of a pool share: authority, trusted certificates, counters. With http_transfer.h the only header
// that includes libcurl's.
#pragma once

#include <curl/curl.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/object_probe/http/http_message.h"

namespace stallcast {

class HttpSession {
 public:
  // **Errors** WorldError when libcurl cannot start.
  HttpSession(HttpAccess access, double silence_s);

  // The host of signed requests, once it is known: that of the first one. To be called before authorise.
  void name_host(const std::string& url);
  void authorise(CURL* easy) const;
  // Silence, addresses, certificates.
  void set_limits(CURL* easy) const;
  // `words` without the access's secrets and `query`.
  std::string without_secrets(std::string words, const std::string& query) const;

  double received = 0.0;  // bytes of bodies
  std::function<void(double at_s, double bytes)> watcher;

 private:
  struct ListDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  void add_header(const std::string& line);

  HttpAccess access_;
  double silence_s_;
  std::unique_ptr<curl_slist, ListDeleter> headers_;
  std::string signing_;  // "aws:amz:REGION:s3"
  std::string host_;     // that signed requests go to
  std::optional<std::string> ca_file_, ca_path_;
};

}  // namespace stallcast
