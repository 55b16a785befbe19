#include "core/object_probe/http/http_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/diagnostics/finding.h"
#include "core/object_probe/http/s3_answer.h"
#include "core/probe/disk/monotonic_clock.h"

namespace stallcast {
namespace {

constexpr std::size_t kLongestBody = std::size_t{8} << 20;  // a page of 1000 keys of 1 KiB, as XML, has room
constexpr std::size_t kLongestError = std::size_t{64} << 10;

HttpFailure failure_of(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return HttpFailure::kNone;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return HttpFailure::kUnknownHost;
    case CURLE_COULDNT_CONNECT:
      return HttpFailure::kRefused;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
      return HttpFailure::kCertificate;
    case CURLE_SSL_CACERT_BADFILE:
      return HttpFailure::kCaFile;
    case CURLE_SSL_CONNECT_ERROR:
      return HttpFailure::kTls;
    case CURLE_OPERATION_TIMEDOUT:
      return HttpFailure::kTimeout;
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
      return HttpFailure::kCut;
    default:
      return HttpFailure::kOther;
  }
}

double seconds_of(CURL* easy, CURLINFO what) {
  curl_off_t microseconds = 0;
  curl_easy_getinfo(easy, what, &microseconds);
  return static_cast<double>(microseconds) * 1e-6;
}

struct Header {
  std::string name, value;
};

Header header_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  Header header{std::string(line.substr(0, colon)), {}};
  std::transform(header.name.begin(), header.name.end(), header.name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  std::string_view value = line.substr(colon + 1);
  const std::size_t first = value.find_first_not_of(" \t");
  const std::size_t last = value.find_last_not_of(" \t\r\n");
  if (first != std::string_view::npos) header.value = std::string(value.substr(first, last + 1 - first));
  return header;
}

}  // namespace

HttpTransfer::HttpTransfer(HttpSession& session) : session_(session), easy_(curl_easy_init()) {
  if (easy_ == nullptr) throw WorldError("libcurl has no memory for another request");
}

HttpTransfer::~HttpTransfer() { curl_easy_cleanup(easy_); }

HttpTransfer& HttpTransfer::of(CURL* easy) {
  char* owner = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &owner);
  return *static_cast<HttpTransfer*>(static_cast<void*>(owner));
}

void HttpTransfer::begin(const HttpRequest& request) {
  request_ = request;
  answer_ = {};
  answer_.tag = request.tag;
  words_[0] = '\0';
  const std::size_t question = request.url.find('?');
  query_ = question == std::string::npos ? "" : request.url.substr(question + 1);
  session_.name_host(request.url);
  set_up();
  active_ = true;
}

int HttpTransfer::status() const {
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

void HttpTransfer::read_header(const std::string& name, const std::string& value) {
  if (name == "content-range") {
    const std::size_t slash = value.find('/');
    if (slash != std::string::npos) answer_.object_bytes = byte_count(std::string_view(value).substr(slash + 1));
  } else if (name == "content-length" && status() == 200) {
    answer_.object_bytes = byte_count(value);
  } else if (name == "x-amz-bucket-region") {
    answer_.bucket_region = plain_word(value);
  } else if (name == "retry-after") {
    const double seconds = std::strtod(value.c_str(), nullptr);
    answer_.retry_after_s = std::isfinite(seconds) ? std::max(seconds, 0.0) : 0.0;
  } else if ((name == "x-cache" || name == "cf-cache-status") && value.find("HIT") != std::string::npos) {
    answer_.cache = "HIT";
  }
}

// Did a request for a range get the whole of something longer?
bool HttpTransfer::ignores_range() const {
  return request_.bytes > 0 && status() == 200 &&
         (answer_.object_bytes < 0 || answer_.object_bytes > request_.body_limit);
}

bool HttpTransfer::take_header(std::string_view line) {
  if (line.substr(0, 5) == "HTTP/") answer_.object_bytes = -1.0;
  const Header header = header_of(line);
  read_header(header.name, header.value);
  answer_.over_limit = line == "\r\n" && ignores_range();  // the body is not read at all
  return !answer_.over_limit;
}

bool HttpTransfer::take_body(std::string_view piece) {
  const auto bytes = static_cast<double>(piece.size());
  answer_.status = status();
  answer_.body_bytes += bytes;
  session_.received += bytes;
  if (request_.keep_body || !good()) {
    if (answer_.body.size() + piece.size() > (good() ? kLongestBody : kLongestError)) return false;
    answer_.body.append(piece);
  } else if (session_.watcher) {
    session_.watcher(monotonic_s(), bytes);
  }
  answer_.over_limit = good() && answer_.body_bytes > request_.body_limit;
  return !answer_.over_limit;
}

// Returning 0 ends the transfer.
std::size_t HttpTransfer::on_header(char* data, std::size_t size, std::size_t count, void* user) {
  const std::size_t bytes = size * count;
  return static_cast<HttpTransfer*>(user)->take_header({data, bytes}) ? bytes : 0;
}

std::size_t HttpTransfer::on_body(char* data, std::size_t size, std::size_t count, void* user) {
  const std::size_t bytes = size * count;
  return static_cast<HttpTransfer*>(user)->take_body({data, bytes}) ? bytes : 0;
}

void HttpTransfer::set_up() {
  curl_easy_reset(easy_);
  curl_easy_setopt(easy_, CURLOPT_URL, request_.url.c_str());
  curl_easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy_, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);  // one request at a time on a connection
  curl_easy_setopt(easy_, CURLOPT_PATH_AS_IS, 1L);  // keys may hold "..", and are signed as they are
  curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy_, CURLOPT_USERAGENT, "stallcast");
  curl_easy_setopt(easy_, CURLOPT_BUFFERSIZE, static_cast<long>(kOvershoot));
  if (request_.bytes > 0) {
    const std::string range = fmt::format("{:.0f}-{:.0f}", request_.first, request_.first + request_.bytes - 1.0);
    curl_easy_setopt(easy_, CURLOPT_RANGE, range.c_str());
  }
  session_.set_limits(easy_);
  session_.authorise(easy_);
  curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, &on_header);
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, words_.data());
  curl_easy_setopt(easy_, CURLOPT_PRIVATE, this);
}

std::string HttpTransfer::shown_reason(CURLcode code) const {
  return session_.without_secrets(words_[0] != '\0' ? words_.data() : curl_easy_strerror(code), query_);
}

HttpAnswer HttpTransfer::finish(CURLcode code) {
  answer_.at_s = monotonic_s();
  answer_.status = status();
  const bool ours = code == CURLE_WRITE_ERROR;  // we ended it: more came than was asked for, or than an answer may have
  answer_.failure = ours && answer_.over_limit ? HttpFailure::kNone : failure_of(code);
  if (answer_.failure != HttpFailure::kNone)
    answer_.reason = ours ? "the answer is longer than such an answer may be" : shown_reason(code);
  const double sent_s = seconds_of(easy_, CURLINFO_PRETRANSFER_TIME_T);
  answer_.first_byte_s = std::max(0.0, seconds_of(easy_, CURLINFO_STARTTRANSFER_TIME_T) - sent_s);
  answer_.total_s = std::max(0.0, seconds_of(easy_, CURLINFO_TOTAL_TIME_T) - sent_s);
  long connects = 0;
  curl_easy_getinfo(easy_, CURLINFO_NUM_CONNECTS, &connects);
  answer_.set_up_s = connects > 0 ? sent_s : 0.0;
  const char* redirect = nullptr;
  curl_easy_getinfo(easy_, CURLINFO_REDIRECT_URL, &redirect);
  if (redirect != nullptr) answer_.redirect = redirect;
  active_ = false;
  return std::move(answer_);
}

}  // namespace stallcast
