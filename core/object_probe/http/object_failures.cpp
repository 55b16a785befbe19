#include "core/object_probe/http/object_failures.h"

#include <fmt/format.h>

#include <string_view>

#include "core/object_probe/http/s3_answer.h"

namespace stallcast {
namespace {

const char* key_variables(const ObjectPlace& place) {
  return place.url.kind == ProbeTarget::kGcs ? "GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY"
                                             : "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
}

std::string access_denied(const ObjectPlace& place, bool listing) {
  const std::string what = listing ? "list bucket " + place.url.bucket : "read " + place.url.shown;
  if (place.key_origin.empty())
    return fmt::format(
        "AccessDenied: {} lets nobody {} without a key, and none was found. Set {}, or AWS_PROFILE; on a "
        "machine with a role: eval \"$(aws configure export-credentials --format env)\"",
        place.server, what, key_variables(place));
  return fmt::format("AccessDenied: the key from {} is good but may not {}. Ask for the right {} on it",
                     place.key_origin, what, listing ? "s3:ListBucket" : "s3:GetObject");
}

std::string wrong_region(const HttpAnswer& answer, const ObjectPlace& place) {
  if (!answer.bucket_region.empty())
    return fmt::format(
        "{} says that bucket {} is in {}, not in {}: set AWS_REGION={} and, where one is set, an endpoint "
        "of that region in AWS_ENDPOINT_URL_S3",
        place.server, place.url.bucket, answer.bucket_region, place.region, answer.bucket_region);
  return fmt::format(
      "{} sends bucket {} elsewhere and does not say to which region: set AWS_REGION to the bucket's "
      "(aws s3api get-bucket-location --bucket {}), or AWS_ENDPOINT_URL_S3",
      place.server, place.url.bucket, place.url.bucket);
}

// By the codes of https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html; "" = none of these.
std::string meaning_of(std::string_view code, const ObjectPlace& place, bool listing) {
  if (code == "InvalidAccessKeyId")
    return fmt::format(
        "InvalidAccessKeyId: {} does not know the access key id from {}. Is it of another provider or "
        "account, or deleted? Check {}",
        place.server, place.key_origin, key_variables(place));
  if (code == "SignatureDoesNotMatch")
    return fmt::format(
        "SignatureDoesNotMatch: the secret key from {} does not belong to its access key id. Copy both "
        "again, whole and without blanks ({})",
        place.key_origin, key_variables(place));
  if (code == "AccessDenied" || code == "AllAccessDisabled") return access_denied(place, listing);
  if (code == "ExpiredToken" || code == "InvalidToken" || code == "TokenRefreshRequired")
    return fmt::format(
        "{}: the session token from {} is no longer, or not, good. Log in again and export the new "
        "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN",
        code, place.key_origin);
  if (code == "RequestTimeTooSkewed")
    return fmt::format("RequestTimeTooSkewed: this machine's clock and that of {} are too far apart. Set the clock",
                       place.server);
  if (code == "NoSuchBucket")
    return fmt::format(
        "NoSuchBucket: there is no bucket {} at {}. Check its name and, for a store of your own, "
        "AWS_ENDPOINT_URL_S3",
        place.url.bucket, place.server);
  if (code == "NoSuchKey")
    return fmt::format("NoSuchKey: there is no object {}. Check its name; capitals count", place.url.shown);
  if (code == "InvalidObjectState")
    return fmt::format("InvalidObjectState: {} is archived and cannot be read before it is restored", place.url.shown);
  return {};
}

std::string by_status(const HttpAnswer& answer, const std::string& code, const ObjectPlace& place, bool listing) {
  const std::string said = fmt::format("HTTP {}{}{}", answer.status, code.empty() ? "" : " ", code);
  if (is_throttled(answer))
    return fmt::format(
        "{} refused every request because of their rate ({}). Wait until its other clients are done, or "
        "have the limit raised, and probe again",
        place.server, said);
  if (answer.status == 401 || answer.status == 403)
    return fmt::format("{} refuses to show {} ({}). {}", place.server, place.url.shown, said,
                       place.url.kind == ProbeTarget::kHttps
                           ? "Is a user and password missing, or has a presigned URL expired?"
                           : "Check the key and its rights");
  if (answer.status == 404)
    return fmt::format("{} has no {} ({}). Check the name; capitals count", place.server, place.url.shown, said);
  if (answer.status >= 500)
    return fmt::format("{} fails with {}, also when asked again. Try later, or tell who runs it", place.server, said);
  if (answer.status == 200 && listing)
    return fmt::format(
        "{} answers, but not as an S3-speaking store does. Is AWS_ENDPOINT_URL_S3 the address of its S3 "
        "interface, and not of its web console?",
        place.server);
  return fmt::format("{} answers {} to a request for {}, which stallcast cannot use", place.server, said,
                     place.url.shown);
}

}  // namespace

bool is_throttled(const HttpAnswer& answer) {
  return answer.failure == HttpFailure::kNone && (answer.status == 503 || answer.status == 429);
}

bool may_pass(const HttpAnswer& answer) {
  if (answer.failure != HttpFailure::kNone)
    return answer.failure == HttpFailure::kCut || answer.failure == HttpFailure::kTimeout;
  return is_throttled(answer) || answer.status == 500 || answer.status == 502 || answer.status == 504;
}

std::string connection_failure(const HttpAnswer& answer, const ObjectPlace& place) {
  switch (answer.failure) {
    case HttpFailure::kUnknownHost:
      return fmt::format("{} is not known ({}). Check the name, the network and any proxy", place.server,
                         answer.reason);
    case HttpFailure::kRefused:
      return fmt::format("Nobody answers at {} ({}). Is the server running, the port right, a firewall between?",
                         place.server, answer.reason);
    case HttpFailure::kCertificate:
      return fmt::format(
          "The certificate of {} is not to be trusted ({}). If the server is your own, name the file with "
          "its authority in CURL_CA_BUNDLE; the check cannot be switched off",
          place.server, answer.reason);
    case HttpFailure::kCaFile:
      return fmt::format(
          "The file of trusted authorities cannot be read ({}). Check CURL_CA_BUNDLE, AWS_CA_BUNDLE and "
          "SSL_CERT_FILE",
          answer.reason);
    case HttpFailure::kTls:
      return fmt::format("No encrypted connection to {} ({}). Does that port speak TLS?", place.server, answer.reason);
    case HttpFailure::kTimeout:
      return fmt::format(
          "{} sent nothing for {:.3g} s, also when asked again. Is it overloaded, or a firewall silently "
          "in between?",
          place.server, place.silence_s);
    case HttpFailure::kCut:
      return fmt::format("{} cuts the connection before its answer is complete, also when asked again ({})",
                         place.server, answer.reason);
    default:
      return fmt::format("Reading from {} failed ({})", place.server, answer.reason);
  }
}

std::string refusal(const HttpAnswer& answer, const ObjectPlace& place, bool listing) {
  const S3Error error = parse_s3_error(answer.body);
  const bool redirected = answer.status == 301 || answer.status == 302 || answer.status == 307 || answer.status == 308;
  if (place.url.kind != ProbeTarget::kHttps &&
      (redirected || error.code == "AuthorizationHeaderMalformed" || !error.region.empty())) {
    HttpAnswer known = answer;
    if (known.bucket_region.empty()) known.bucket_region = error.region;
    return wrong_region(known, place);
  }
  const std::string meaning = meaning_of(error.code, place, listing);
  return meaning.empty() ? by_status(answer, error.code, place, listing) : meaning;
}

}  // namespace stallcast
