// Where an S3-speaking store is and with which key it is asked, from the environment or the files that the clouds' own
// tools use.
#pragma once

#include <string>

#include "core/probe/result/probe_result.h"

namespace stallcast {

// Never part of any output; `origin` may be shown.
struct S3Credentials {
  std::string access_key_id, secret_access_key, session_token;
  std::string origin;  // "the environment", "profile default of /home/ann/.aws/credentials"
  bool anonymous() const { return access_key_id.empty(); }
};

struct S3Settings {
  S3Credentials credentials;
  std::string region;         // "us-east-1"; "auto" for Google Cloud Storage
  std::string endpoint;       // "http://127.0.0.1:9000"; "" = the cloud's own
  bool region_given = false;  // false: assumed
};

// **Source** for S3: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, else AWS_PROFILE (or "default") of
// AWS_SHARED_CREDENTIALS_FILE (~/.aws/credentials) and AWS_CONFIG_FILE (~/.aws/config); AWS_REGION, AWS_DEFAULT_REGION,
// `region`; AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, `endpoint_url`. For Google: its keys for interoperability in
// GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY, else gs_access_key_id and gs_secret_access_key under [Credentials] of
// BOTO_CONFIG (~/.boto); STORAGE_EMULATOR_HOST. Nothing found: anonymous, as public buckets allow.
// **Errors** WorldError when half a key is there, a named profile is not, or a profile holds no key but a way to one
// (single sign-on, a role, a program).
S3Settings find_s3_settings(ProbeTarget kind);

}  // namespace stallcast
