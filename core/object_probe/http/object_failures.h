// What a store's refusal means for the person who asked, and what to do about it. Words of servers are not passed on:
// they may repeat parts of a request.
#pragma once

#include <string>

#include "core/object_probe/http/http_message.h"
#include "core/object_probe/http/object_url.h"

namespace stallcast {

// Who was asked for what.
struct ObjectPlace {
  ObjectUrl url;
  std::string server;      // "https://my-bucket.s3.eu-central-1.amazonaws.com"
  std::string region;      // "" for plain URLs
  std::string key_origin;  // "the environment", "" = anonymous
  double silence_s = 0.0;  // after which a request counts as lost
};

// No answer came: unknown host, refused, certificate, silence, cut.
std::string connection_failure(const HttpAnswer& answer, const ObjectPlace& place);

// An answer came, and it was no: by S3's code where there is one, else by the status. `listing` tells a list from a
// GET.
std::string refusal(const HttpAnswer& answer, const ObjectPlace& place, bool listing);

bool is_throttled(const HttpAnswer& answer);  // 503 or 429
bool may_pass(const HttpAnswer& answer);      // worth asking again: throttled, cut, silent, 500, 502, 504

}  // namespace stallcast
