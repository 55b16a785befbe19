// Requests and answers of HTTP as plain structs.
#pragma once

#include <cstdint>
#include <string>

#include "core/object_probe/http/s3_settings.h"

namespace stallcast {

constexpr double kOvershoot = 262144.0;  // bytes: one buffer of received data

// How requests of a pool are authorised.
struct HttpAccess {
  S3Credentials key;           // signs with Signature Version 4 unless anonymous; all requests then go to one host
  std::string region;          // for the signature
  std::string user, password;  // HTTP Basic, of plain URLs
  bool signs() const { return !key.anonymous(); }
};

struct HttpRequest {
  std::string url;
  double first = 0.0, bytes = 0.0;  // range; bytes 0 = the whole
  double body_limit = 0.0;          // the connection is cut when more comes; up to kOvershoot may have come by then
  bool keep_body = false;
  std::uint64_t tag = 0;  // handed back with the answer
};

enum class HttpFailure { kNone, kUnknownHost, kRefused, kCertificate, kCaFile, kTls, kTimeout, kCut, kOther };

struct HttpAnswer {
  std::uint64_t tag = 0;
  HttpFailure failure = HttpFailure::kNone;
  std::string reason;  // libcurl's words for the failure, without secrets
  int status = 0;      // 0 = there was none
  double body_bytes = 0.0;
  bool over_limit = false;  // cut by body_limit
  std::string body;         // where asked for, and of errors, as far as it is short
  std::string redirect;     // absolute URL, "" = none. May hold secrets
  std::string bucket_region;
  double object_bytes = -1.0;                // of the whole object, from Content-Range or Content-Length; -1 = not said
  double retry_after_s = 0.0;                // 0 = not said
  std::string cache;                         // "HIT" where a cache on the way says so
  double set_up_s = 0.0;                     // for a new connection: name, TCP, TLS; 0 = one was there
  double first_byte_s = 0.0, total_s = 0.0;  // since the request was about to be sent
  double at_s = 0.0;                         // when complete, on the clock of monotonic_s
};

}  // namespace stallcast
