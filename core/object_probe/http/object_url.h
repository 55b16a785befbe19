// Where objects are, as a user names them, and as they may be shown: s3://BUCKET/PREFIX, gs://BUCKET/PREFIX and
// http(s)://HOST/OBJECT.
#pragma once

#include <string>

#include "core/diagnostics/finding.h"
#include "core/probe/result/probe_result.h"

namespace stallcast {

struct ObjectUrl {
  ProbeTarget kind = ProbeTarget::kHttps;  // kS3, kGcs or kHttps
  std::string bucket, prefix;              // of s3 and gs; the prefix is a key, the start of keys, or ""
  std::string address;                     // of http and https, without user and password
  std::string user, password;              // of http and https; only ever sent to that host
  std::string shown;                       // for output: no user, no password, no value of a query
};

// Does `text` begin with s3://, gs://, http:// or https:// (in any case)?
bool is_object_url(const std::string& text);

// Reads a URL. Keys of s3 and gs are taken as written, as the vendors' own tools take them: "%20" is no blank.
// Findings "bad_url" and "secret_in_url"; what they quote holds no secret.
Loaded<ObjectUrl> parse_object_url(const std::string& text);

// A URL without user, password and fragment, each value of its query written as "..."; "" when it is none.
std::string shown_url(const std::string& url);

// Scheme, host and port: "https://example.org:8443"; "" when it is no URL.
std::string server_of(const std::string& url);

// Bytes that are no letters, digits or "-._~" as %XX (RFC 3986), as signatures of S3 want them. "/" stays in paths.
std::string percent_encoded(const std::string& text, bool keep_slashes);
std::string percent_decoded(const std::string& text);

}  // namespace stallcast
