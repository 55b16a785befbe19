// One GET of a pool, from its options to its answer.
#pragma once

#include <curl/curl.h>

#include <array>
#include <string>
#include <string_view>

#include "core/object_probe/http/http_session.h"

namespace stallcast {

// The handle is used again for the next request.
class HttpTransfer {
 public:
  // `session` outlives it. **Errors** WorldError when libcurl has no memory.
  explicit HttpTransfer(HttpSession& session);
  ~HttpTransfer();
  HttpTransfer(const HttpTransfer&) = delete;
  HttpTransfer& operator=(const HttpTransfer&) = delete;

  void begin(const HttpRequest& request);
  HttpAnswer finish(CURLcode code);
  void abandon() { active_ = false; }
  bool active() const { return active_; }
  CURL* easy() const { return easy_; }

  // The one that a handle belongs to.
  static HttpTransfer& of(CURL* easy);

 private:
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user);
  bool take_header(std::string_view line);  // false ends the transfer
  bool take_body(std::string_view piece);   // likewise
  void read_header(const std::string& name, const std::string& value);
  bool ignores_range() const;
  int status() const;
  bool good() const { return answer_.status == 200 || answer_.status == 206; }
  void set_up();
  std::string shown_reason(CURLcode code) const;

  HttpSession& session_;
  CURL* easy_;
  HttpAnswer answer_;
  HttpRequest request_;
  std::string query_;  // of the URL: may be a signature
  bool active_ = false;
  std::array<char, CURL_ERROR_SIZE> words_{};
};

}  // namespace stallcast
