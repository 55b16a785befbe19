#include "core/object_probe/http/http_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "core/diagnostics/finding.h"
#include "core/object_probe/http/object_url.h"

namespace stallcast {
namespace {

// Once per process, and never undone: other parts of a program may use libcurl too.
void start_libcurl() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) throw WorldError(fmt::format("libcurl does not start: {}", curl_easy_strerror(started)));
}

std::optional<std::string> first_variable(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0')  // NOLINT(concurrency-mt-unsafe)
      return value;
  return std::nullopt;
}

std::string without(std::string text, const std::string& secret) {
  if (secret.empty()) return text;
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at))
    text.replace(at, secret.size(), "...");
  return text;
}

}  // namespace

HttpSession::HttpSession(HttpAccess access, double silence_s) : access_(std::move(access)), silence_s_(silence_s) {
  start_libcurl();
  // The curl program reads these variables; libcurl itself does not.
  ca_file_ = first_variable({"CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "SSL_CERT_FILE"});
  ca_path_ = first_variable({"SSL_CERT_DIR"});
  if (!access_.signs()) return;
  signing_ = "aws:amz:" + access_.region + ":s3";
  // libcurl adds this one only from 7.88 on; the value is the SHA-256 of an empty body.
  add_header("x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  if (!access_.key.session_token.empty()) add_header("x-amz-security-token: " + access_.key.session_token);
}

void HttpSession::add_header(const std::string& line) {
  curl_slist* longer = curl_slist_append(headers_.get(), line.c_str());
  if (longer == nullptr) return;
  (void)headers_.release();
  headers_.reset(longer);
}

// libcurl 7.88 signs the host without its port unless the header is given to it (curl issue 9550).
void HttpSession::name_host(const std::string& url) {
  if (!access_.signs() || !host_.empty()) return;
  const std::string server = server_of(url);
  host_ = server.substr(server.find("://") + 3);
  add_header("Host: " + host_);
}

void HttpSession::authorise(CURL* easy) const {
  if (access_.signs()) {
    curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, signing_.c_str());
    curl_easy_setopt(easy, CURLOPT_USERNAME, access_.key.access_key_id.c_str());
    curl_easy_setopt(easy, CURLOPT_PASSWORD, access_.key.secret_access_key.c_str());
  } else if (!access_.user.empty() || !access_.password.empty()) {
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    curl_easy_setopt(easy, CURLOPT_USERNAME, access_.user.c_str());
    curl_easy_setopt(easy, CURLOPT_PASSWORD, access_.password.c_str());
  }
  if (headers_) curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
}

void HttpSession::set_limits(CURL* easy) const {
  curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0L);      // each new connection may get another of a store's
  curl_easy_setopt(easy, CURLOPT_DNS_SHUFFLE_ADDRESSES, 1L);  // addresses, as its vendors advise
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, std::max(1L, std::lround(silence_s_ * 1e3)));
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, std::max(1L, std::lround(std::ceil(silence_s_))));
  if (ca_file_) curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file_->c_str());
  if (ca_path_) curl_easy_setopt(easy, CURLOPT_CAPATH, ca_path_->c_str());
}

std::string HttpSession::without_secrets(std::string words, const std::string& query) const {
  for (const std::string& secret :
       {access_.key.secret_access_key, access_.key.session_token, access_.key.access_key_id, access_.password, query})
    words = without(std::move(words), secret);
  return words;
}

}  // namespace stallcast
