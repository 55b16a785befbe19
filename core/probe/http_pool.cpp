#include "core/probe/http_pool.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "core/diagnostics/finding.h"
#include "core/probe/object_url.h"
#include "core/probe/s3_answer.h"

namespace stallcast {
namespace {

constexpr std::size_t kLongestBody = std::size_t{8} << 20;  // a page of 1000 keys of 1 KiB, as XML, has room
constexpr std::size_t kLongestError = std::size_t{64} << 10;

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

std::string without(std::string text, const std::string& secret) {
  if (secret.empty()) return text;
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at))
    text.replace(at, secret.size(), "...");
  return text;
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

double pool_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

namespace {

struct SlistDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, SlistDeleter>;

void append(HeaderList& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) return;
  (void)list.release();
  list.reset(longer);
}

// One GET: the handle is used again for the next one.
struct Transfer {
  CURL* easy = nullptr;
  HttpAnswer answer;
  HttpRequest request;
  std::string query;  // of the URL: may be a signature
  bool active = false;
  std::array<char, CURL_ERROR_SIZE> words{};
  double* received = nullptr;
  std::function<void(double, double)>* watcher = nullptr;

  bool good() const { return answer.status == 200 || answer.status == 206; }
};

int status_of(const Transfer& transfer) {
  long status = 0;
  curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

void read_header(Transfer& transfer, const Header& header) {
  HttpAnswer& answer = transfer.answer;
  if (header.name == "content-range") {
    const std::size_t slash = header.value.find('/');
    if (slash != std::string::npos) answer.object_bytes = byte_count(std::string_view(header.value).substr(slash + 1));
  } else if (header.name == "content-length" && status_of(transfer) == 200) {
    answer.object_bytes = byte_count(header.value);
  } else if (header.name == "x-amz-bucket-region") {
    answer.bucket_region = plain_word(header.value);
  } else if (header.name == "retry-after") {
    const double seconds = std::strtod(header.value.c_str(), nullptr);
    answer.retry_after_s = std::isfinite(seconds) ? std::max(seconds, 0.0) : 0.0;
  } else if ((header.name == "x-cache" || header.name == "cf-cache-status") &&
             header.value.find("HIT") != std::string::npos) {
    answer.cache = "HIT";
  }
}

// Did a request for a range get the whole of something longer?
bool ignores_range(const Transfer& transfer) {
  return transfer.request.bytes > 0 && status_of(transfer) == 200 &&
         (transfer.answer.object_bytes < 0 || transfer.answer.object_bytes > transfer.request.body_limit);
}

// Returning 0 ends the transfer.
std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user) {
  Transfer& transfer = *static_cast<Transfer*>(user);
  const std::string_view line(data, size * count);
  if (line.substr(0, 5) == "HTTP/") transfer.answer.object_bytes = -1.0;
  read_header(transfer, header_of(line));
  transfer.answer.over_limit = line == "\r\n" && ignores_range(transfer);  // the body is not read at all
  return transfer.answer.over_limit ? 0 : size * count;
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
  Transfer& transfer = *static_cast<Transfer*>(user);
  HttpAnswer& answer = transfer.answer;
  const std::size_t bytes = size * count;
  answer.status = status_of(transfer);
  answer.body_bytes += static_cast<double>(bytes);
  *transfer.received += static_cast<double>(bytes);
  const bool keep = transfer.request.keep_body || !transfer.good();
  if (keep) {
    if (answer.body.size() + bytes > (transfer.good() ? kLongestBody : kLongestError)) return 0;
    answer.body.append(data, bytes);
  } else if (*transfer.watcher) {
    (*transfer.watcher)(pool_clock_s(), static_cast<double>(bytes));
  }
  answer.over_limit = transfer.good() && answer.body_bytes > transfer.request.body_limit;
  return answer.over_limit ? 0 : bytes;
}

}  // namespace

struct HttpPool::State {
  HttpAccess access;
  double silence_s = 0.0;
  CURLM* multi = nullptr;
  std::vector<std::unique_ptr<Transfer>> transfers;
  HeaderList headers;
  std::string signing;  // "aws:amz:REGION:s3"
  std::string host;     // that signed requests go to
  std::optional<std::string> ca_file, ca_path;
  double received = 0.0;
  std::function<void(double, double)> watcher;
  int in_flight = 0;

  Transfer& idle_transfer() {
    for (const auto& transfer : transfers)
      if (!transfer->active) return *transfer;
    transfers.push_back(std::make_unique<Transfer>());
    transfers.back()->easy = curl_easy_init();
    if (transfers.back()->easy == nullptr) throw WorldError("libcurl has no memory for another request");
    return *transfers.back();
  }

  void set_up(Transfer& transfer) const;
  void name_host(const std::string& url);
  void authorise(CURL* easy) const;
  HttpAnswer finish(Transfer& transfer, CURLcode code);
  std::string shown_reason(const Transfer& transfer, CURLcode code) const;
};

void HttpPool::State::authorise(CURL* easy) const {
  if (access.signs()) {
    curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, signing.c_str());
    curl_easy_setopt(easy, CURLOPT_USERNAME, access.key.access_key_id.c_str());
    curl_easy_setopt(easy, CURLOPT_PASSWORD, access.key.secret_access_key.c_str());
  } else if (!access.user.empty() || !access.password.empty()) {
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    curl_easy_setopt(easy, CURLOPT_USERNAME, access.user.c_str());
    curl_easy_setopt(easy, CURLOPT_PASSWORD, access.password.c_str());
  }
  if (headers) curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
}

// libcurl 7.88 signs the host without its port unless the header is given to it (curl issue 9550).
void HttpPool::State::name_host(const std::string& url) {
  if (!access.signs() || !host.empty()) return;
  const std::string server = server_of(url);
  host = server.substr(server.find("://") + 3);
  append(headers, "Host: " + host);
}

void HttpPool::State::set_up(Transfer& transfer) const {
  CURL* easy = transfer.easy;
  curl_easy_reset(easy);
  curl_easy_setopt(easy, CURLOPT_URL, transfer.request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);  // one request at a time on a connection
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);  // keys may hold "..", and are signed as they are
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "stallcast");
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, static_cast<long>(kOvershoot));
  curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0L);      // each new connection may get another of a store's
  curl_easy_setopt(easy, CURLOPT_DNS_SHUFFLE_ADDRESSES, 1L);  // addresses, as its vendors advise
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, std::max(1L, std::lround(silence_s * 1e3)));
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, std::max(1L, std::lround(std::ceil(silence_s))));
  if (ca_file) curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file->c_str());
  if (ca_path) curl_easy_setopt(easy, CURLOPT_CAPATH, ca_path->c_str());
  if (transfer.request.bytes > 0) {
    const std::string range =
        fmt::format("{:.0f}-{:.0f}", transfer.request.first, transfer.request.first + transfer.request.bytes - 1.0);
    curl_easy_setopt(easy, CURLOPT_RANGE, range.c_str());
  }
  authorise(easy);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.words.data());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
}

std::string HttpPool::State::shown_reason(const Transfer& transfer, CURLcode code) const {
  std::string words = transfer.words[0] != '\0' ? transfer.words.data() : curl_easy_strerror(code);
  for (const std::string& secret : {access.key.secret_access_key, access.key.session_token, access.key.access_key_id,
                                    access.password, transfer.query})
    words = without(std::move(words), secret);
  return words;
}

HttpAnswer HttpPool::State::finish(Transfer& transfer, CURLcode code) {
  HttpAnswer& answer = transfer.answer;
  answer.at_s = pool_clock_s();
  answer.status = status_of(transfer);
  const bool ours = code == CURLE_WRITE_ERROR;  // we ended it: more came than was asked for, or than an answer may have
  answer.failure = ours && answer.over_limit ? HttpFailure::kNone : failure_of(code);
  if (answer.failure != HttpFailure::kNone)
    answer.reason = ours ? "the answer is longer than such an answer may be" : shown_reason(transfer, code);
  const double sent_s = seconds_of(transfer.easy, CURLINFO_PRETRANSFER_TIME_T);
  answer.first_byte_s = std::max(0.0, seconds_of(transfer.easy, CURLINFO_STARTTRANSFER_TIME_T) - sent_s);
  answer.total_s = std::max(0.0, seconds_of(transfer.easy, CURLINFO_TOTAL_TIME_T) - sent_s);
  long connects = 0;
  curl_easy_getinfo(transfer.easy, CURLINFO_NUM_CONNECTS, &connects);
  answer.set_up_s = connects > 0 ? sent_s : 0.0;
  const char* redirect = nullptr;
  curl_easy_getinfo(transfer.easy, CURLINFO_REDIRECT_URL, &redirect);
  if (redirect != nullptr) answer.redirect = redirect;
  transfer.active = false;
  --in_flight;
  return std::move(answer);
}

HttpPool::HttpPool(HttpAccess access, int connections, double silence_s) : state_(std::make_unique<State>()) {
  start_libcurl();
  State& state = *state_;
  state.access = std::move(access);
  state.silence_s = silence_s;
  state.multi = curl_multi_init();
  if (state.multi == nullptr) throw WorldError("libcurl has no memory for connections");
  curl_multi_setopt(state.multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(connections));
  curl_multi_setopt(state.multi, CURLMOPT_MAXCONNECTS, static_cast<long>(connections));
  // The curl program reads these variables; libcurl itself does not.
  state.ca_file = first_variable({"CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "SSL_CERT_FILE"});
  state.ca_path = first_variable({"SSL_CERT_DIR"});
  if (!state.access.signs()) return;
  state.signing = "aws:amz:" + state.access.region + ":s3";
  // libcurl adds this one only from 7.88 on; the value is the SHA-256 of an empty body.
  append(state.headers, "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  if (!state.access.key.session_token.empty())
    append(state.headers, "x-amz-security-token: " + state.access.key.session_token);
}

HttpPool::~HttpPool() {
  abandon();
  for (const auto& transfer : state_->transfers) curl_easy_cleanup(transfer->easy);
  curl_multi_cleanup(state_->multi);
}

void HttpPool::start(const HttpRequest& request) {
  Transfer& transfer = state_->idle_transfer();
  transfer.request = request;
  transfer.answer = {};
  transfer.answer.tag = request.tag;
  transfer.words[0] = '\0';
  transfer.received = &state_->received;
  transfer.watcher = &state_->watcher;
  const std::size_t question = request.url.find('?');
  transfer.query = question == std::string::npos ? "" : request.url.substr(question + 1);
  state_->name_host(request.url);
  state_->set_up(transfer);
  if (curl_multi_add_handle(state_->multi, transfer.easy) != CURLM_OK)
    throw WorldError("libcurl does not take another request");
  transfer.active = true;
  ++state_->in_flight;
}

std::vector<HttpAnswer> HttpPool::wait(double seconds) {
  int running = 0;
  curl_multi_perform(state_->multi, &running);
  std::vector<HttpAnswer> answers;
  const auto collect = [&] {
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(state_->multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* easy = message->easy_handle;
      const CURLcode code = message->data.result;
      char* owner = nullptr;
      curl_easy_getinfo(easy, CURLINFO_PRIVATE, &owner);
      curl_multi_remove_handle(state_->multi, easy);
      answers.push_back(state_->finish(*static_cast<Transfer*>(static_cast<void*>(owner)), code));
    }
  };
  collect();
  if (!answers.empty() || seconds <= 0.0) return answers;
  curl_multi_poll(state_->multi, nullptr, 0, static_cast<int>(std::lround(std::ceil(seconds * 1e3))), nullptr);
  curl_multi_perform(state_->multi, &running);
  collect();
  return answers;
}

void HttpPool::abandon() {
  for (const auto& transfer : state_->transfers) {
    if (!transfer->active) continue;
    curl_multi_remove_handle(state_->multi, transfer->easy);
    transfer->active = false;
  }
  state_->in_flight = 0;
}

int HttpPool::in_flight() const { return state_->in_flight; }
double HttpPool::received_bytes() const { return state_->received; }
void HttpPool::watch_arrivals(std::function<void(double, double)> watcher) { state_->watcher = std::move(watcher); }

}  // namespace stallcast
