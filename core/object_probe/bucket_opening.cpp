#include "core/object_probe/bucket_opening.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "core/diagnostics/finding.h"
#include "core/object_probe/http/s3_answer.h"
#include "core/object_probe/object_asker.h"
#include "core/probe/disk/monotonic_clock.h"
#include "core/probe/result/point_record.h"

namespace stallcast {
namespace {

constexpr int kListPages = 3;
constexpr double kPageBytes = 4.0 * 1048576.0;  // set aside for a page of 1000 names

// Where a bucket's requests go: its own host name at Amazon, a path at stores of one's own (which have one name only),
// and for names with dots, which no certificate for *.s3.REGION.amazonaws.com covers.
std::string bucket_address(const ObjectUrl& url, const S3Settings& settings) {
  const std::string bucket = percent_encoded(url.bucket, false);
  if (!settings.endpoint.empty()) {
    const std::string& endpoint = settings.endpoint;
    return fmt::format("{}/{}", endpoint.substr(0, endpoint.find_last_not_of('/') + 1), bucket);
  }
  if (url.kind == ProbeTarget::kGcs) return "https://storage.googleapis.com/" + bucket;
  const char* domain = settings.region.rfind("cn-", 0) == 0 ? "amazonaws.com.cn" : "amazonaws.com";
  if (url.bucket.find('.') != std::string::npos)
    return fmt::format("https://s3.{}.{}/{}", settings.region, domain, bucket);
  return fmt::format("https://{}.s3.{}.{}", bucket, settings.region, domain);
}

// Parameters in the order of their names, which is how they are signed. The path of a bucket without a host name of its
// own ends with the bucket: stores disagree on what is signed where a "/" follows.
std::string list_url(const std::string& address, const std::string& prefix, const std::string& next) {
  std::string url = address + (server_of(address) == address ? "/?" : "?");
  if (!next.empty()) url += "continuation-token=" + percent_encoded(next, false) + "&";
  url += "encoding-type=url&list-type=2&max-keys=1000";
  if (!prefix.empty()) url += "&prefix=" + percent_encoded(prefix, false);
  return url;
}

// A store whose endpoint is no plain URL is the user's slip.
void check_endpoint(S3Settings& settings) {
  if (settings.endpoint.empty()) return;
  if (settings.endpoint.find("://") == std::string::npos) settings.endpoint = "https://" + settings.endpoint;
  const Loaded<ObjectUrl> url = parse_object_url(settings.endpoint);
  if (!url.value || url.value->kind != ProbeTarget::kHttps || !url.value->user.empty())
    throw WorldError(
        "The store's endpoint (AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, STORAGE_EMULATOR_HOST or the "
        "profile's endpoint_url) is no address like https://HOST:PORT without user and password");
}

bool is_archived(const StoredObject& object) {
  return object.storage_class == "GLACIER" || object.storage_class == "DEEP_ARCHIVE";
}

class BucketOpening {
 public:
  BucketOpening(ObjectSource& source, ObjectBudget& budget, S3Settings settings)
      : source_(source), budget_(budget), settings_(std::move(settings)) {
    aim();
  }

  // false when a stop was requested
  bool run() {
    const bool listed = list();
    if (budget_.stop.stop_requested()) return false;
    if (!listed && !single_key()) return false;
    return true;
  }

 private:
  void aim() {
    address_ = bucket_address(source_.place.url, settings_);
    source_.access.key = settings_.credentials;
    source_.access.region = settings_.region;
    source_.place.server = server_of(address_);
    source_.place.region = settings_.region;
    source_.place.key_origin = settings_.credentials.origin;
    asker_ = std::make_unique<ObjectAsker>(source_.access, source_.place, budget_);
  }

  // A bucket of another region is followed there once.
  std::optional<HttpAnswer> ask_in_its_region(const std::string& next) {
    const std::string& prefix = source_.place.url.prefix;
    auto answer = asker_->ask({.url = list_url(address_, prefix, next), .body_limit = kPageBytes, .keep_body = true});
    if (!answer || answer->status == 200) return answer;
    const std::string named =
        answer->bucket_region.empty() ? parse_s3_error(answer->body).region : answer->bucket_region;
    const bool elsewhere = answer->status == 301 || answer->status == 307 || answer->status == 400;
    if (!elsewhere || named.empty() || named == settings_.region || moved_) return answer;
    moved_ = true;
    source_.notes.push_back(
        fmt::format("Bucket {} is in {}, not in {}: followed there. AWS_REGION={} saves the detour.",
                    source_.place.url.bucket, named, settings_.region, named));
    settings_.region = named;
    aim();
    return asker_->ask({.url = list_url(address_, prefix, next), .body_limit = kPageBytes, .keep_body = true});
  }

  // false when listing is not allowed but the prefix may be an object's key
  bool list() {
    std::vector<float> latency_s;
    double names = 0.0, archived = 0.0;
    std::string next;
    const double began_s = monotonic_s();
    for (int page_number = 0; page_number < kListPages; ++page_number) {
      const auto answer = ask_in_its_region(next);
      if (!answer) return false;
      const auto page = answer->status == 200 ? parse_s3_list(answer->body) : std::nullopt;
      if (!page) {
        const std::string& prefix = source_.place.url.prefix;
        if (answer->status == 403 && parse_s3_error(answer->body).code == "AccessDenied" && !prefix.empty() &&
            prefix.back() != '/')
          return false;
        throw WorldError(refusal(*answer, source_.place, true));
      }
      latency_s.push_back(static_cast<float>(answer->total_s));
      names += static_cast<double>(page->objects.size());
      for (const StoredObject& object : page->objects) {
        if (is_archived(object)) ++archived;
        if (object.bytes > 0 && !is_archived(object))
          source_.objects.push_back({address_ + "/" + percent_encoded(object.key, true), object.bytes});
      }
      next = page->next;
      if (next.empty()) break;
    }
    note_list(names, archived, !next.empty());
    keep_list_point(std::move(latency_s), names, monotonic_s() - began_s);
    return true;
  }

  void note_list(double names, double archived, bool more) {
    const ObjectUrl& url = source_.place.url;
    if (source_.objects.empty())
      throw WorldError(names == 0
                           ? fmt::format("{} is empty: there is no object to read. Name a bucket or a prefix that "
                                         "holds training data",
                                         url.shown)
                           : fmt::format("{} holds {:.0f} objects, all of them empty or archived: nothing to read",
                                         url.shown, names));
    if (more) source_.notes.push_back(fmt::format("Only the first {:.0f} names were looked at.", names));
    if (archived > 0) source_.notes.push_back(fmt::format("{:.0f} archived objects were left out.", archived));
  }

  void keep_list_point(std::vector<float> latency_s, double names, double seconds) {
    ReadPoint point;
    point.pattern = AccessPattern::kList;
    point.engine = address_.substr(0, address_.find(':'));
    point.direct = true;
    point.seconds = seconds;
    point.requests = names;
    point.latency = summarise(std::move(latency_s));
    source_.list = std::move(point);
  }

  // A key may be readable in a bucket that may not be listed.
  bool single_key() {
    const std::string url = address_ + "/" + percent_encoded(source_.place.url.prefix, true);
    const auto answer = asker_->ask({.url = url, .bytes = kPeek, .body_limit = kPeek});
    if (!answer) return false;
    if (answer->status != 206 || answer->object_bytes <= 0) throw WorldError(refusal(*answer, source_.place, false));
    source_.objects.push_back({url, answer->object_bytes});
    source_.notes.emplace_back("The bucket may not be listed: only the object named is read.");
    return true;
  }

  ObjectSource& source_;
  ObjectBudget& budget_;
  S3Settings settings_;
  std::string address_;
  std::unique_ptr<ObjectAsker> asker_;
  bool moved_ = false;
};

}  // namespace

bool open_bucket(ObjectSource& source, ObjectBudget& budget, S3Settings settings) {
  check_endpoint(settings);
  return BucketOpening(source, budget, std::move(settings)).run();
}

}  // namespace stallcast
