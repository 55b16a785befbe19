#include "core/object_probe/http/object_url.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>

namespace stallcast {
namespace {

using UrlHandle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

UrlHandle parsed_url(const std::string& url) {
  UrlHandle handle(curl_url(), &curl_url_cleanup);
  if (curl_url_set(handle.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) handle.reset();
  return handle;
}

std::string part_of(const UrlHandle& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, &curl_free);
  return text;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string scheme_of(const std::string& text) {
  const std::size_t end = text.find("://");
  return end == std::string::npos ? "" : lower(text.substr(0, end));
}

// "a=1&b" -> "a=...&..."
std::string without_values(const std::string& query) {
  std::string shown;
  for (std::size_t at = 0; at <= query.size();) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    const std::size_t equals = query.find('=', at);
    if (!shown.empty()) shown += '&';
    if (equals < end) shown += query.substr(at, equals + 1 - at);
    shown += "...";
    at = end + 1;
  }
  return shown;
}

Findings bad_target(const std::string& code, const std::string& got, const std::string& fix) {
  Finding finding;
  finding.code = code;
  finding.file = "target";
  finding.got = got;
  finding.allowed = "s3://BUCKET[/PREFIX], gs://BUCKET[/PREFIX], http(s)://HOST/OBJECT";
  finding.fix = fix;
  Findings findings;
  findings.add(std::move(finding));
  return findings;
}

bool names_a_bucket(const std::string& text) {
  return text.size() >= 3 && text.size() <= 222 && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
         });
}

Loaded<ObjectUrl> parse_bucket(const std::string& text, const std::string& scheme) {
  const std::string rest = text.substr(scheme.size() + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  ObjectUrl url;
  url.kind = scheme == "s3" ? ProbeTarget::kS3 : ProbeTarget::kGcs;
  url.bucket = rest.substr(0, slash);
  if (slash < rest.size()) url.prefix = rest.substr(slash + 1);
  if (url.bucket.find_first_of("@:") != std::string::npos)
    return {{},
            bad_target("secret_in_url", scheme + "://...@...",
                       "leave the keys out of the URL and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")};
  if (lower(rest).find("signature=") != std::string::npos)
    return {{},
            bad_target("secret_in_url", scheme + "://" + url.bucket + "/...",
                       "a presigned URL begins with https://; give it whole")};
  if (!names_a_bucket(url.bucket))
    return {{},
            bad_target("bad_url", text, "name a bucket of letters, digits, '-' and '.', as in s3://my-bucket/train/")};
  url.shown = scheme + "://" + rest;
  return {std::move(url), {}};
}

Loaded<ObjectUrl> parse_address(const std::string& text, const std::string& scheme) {
  const UrlHandle handle = parsed_url(text);
  if (!handle)
    return {
        {},
        bad_target("bad_url", scheme + "://...", "write special characters as %XX, as in a browser's address line")};
  ObjectUrl url;
  url.user = part_of(handle, CURLUPART_USER, CURLU_URLDECODE);
  url.password = part_of(handle, CURLUPART_PASSWORD, CURLU_URLDECODE);
  url.shown = shown_url(text);
  for (const CURLUPart part : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_FRAGMENT})
    curl_url_set(handle.get(), part, nullptr, 0);
  url.address = part_of(handle, CURLUPART_URL);
  return {std::move(url), {}};
}

}  // namespace

bool is_object_url(const std::string& text) {
  constexpr std::array<const char*, 4> schemes = {"s3", "gs", "http", "https"};
  return std::find(schemes.begin(), schemes.end(), scheme_of(text)) != schemes.end();
}

Loaded<ObjectUrl> parse_object_url(const std::string& text) {
  const std::string scheme = scheme_of(text);
  if (scheme == "s3" || scheme == "gs") return parse_bucket(text, scheme);
  if (scheme == "http" || scheme == "https") return parse_address(text, scheme);
  return {{}, bad_target("bad_url", scheme.empty() ? "no scheme" : scheme + "://...", "")};
}

std::string shown_url(const std::string& url) {
  const UrlHandle handle = parsed_url(url);
  if (!handle) return {};
  const std::string query = part_of(handle, CURLUPART_QUERY);
  for (const CURLUPart part : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_FRAGMENT, CURLUPART_QUERY})
    curl_url_set(handle.get(), part, nullptr, 0);
  const std::string plain = part_of(handle, CURLUPART_URL);
  return query.empty() ? plain : plain + "?" + without_values(query);
}

std::string server_of(const std::string& url) {
  const UrlHandle handle = parsed_url(url);
  if (!handle) return {};
  const std::string port = part_of(handle, CURLUPART_PORT);
  return fmt::format("{}://{}{}{}", part_of(handle, CURLUPART_SCHEME), lower(part_of(handle, CURLUPART_HOST)),
                     port.empty() ? "" : ":", port);
}

std::string percent_encoded(const std::string& text, bool keep_slashes) {
  std::string encoded;
  for (const char byte : text) {
    const auto c = static_cast<unsigned char>(byte);
    const bool plain = c < 128 && (std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_' || c == '~');
    if (plain || (keep_slashes && c == '/'))
      encoded += static_cast<char>(c);
    else
      encoded += fmt::format("%{:02X}", c);
  }
  return encoded;
}

std::string percent_decoded(const std::string& text) {
  int length = 0;
  const std::unique_ptr<char, decltype(&curl_free)> plain(
      curl_easy_unescape(nullptr, text.c_str(), static_cast<int>(text.size()), &length), &curl_free);
  return plain ? std::string(plain.get(), static_cast<std::size_t>(length)) : text;
}

}  // namespace stallcast
