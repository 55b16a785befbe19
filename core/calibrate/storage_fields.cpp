#include "core/calibrate/storage_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/calibrate/fit/stream_fit.h"
#include "core/scenario/data_path.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

FieldMeasurement from_fit(const char* pointer, FieldValue value, const FittedNumber& number,
                          const std::string& source) {
  return {pointer, std::move(value), number.low / number.value, number.high / number.value, source};
}

// The law as the scenario holds it: of a shared storage one client's, which has no field for the time of a request.
StorageLaw law_of_scenario(const StorageFit& fit, const Scenario& scenario) {
  StorageLaw law = fit.reads.law;
  if (scenario.storage.scope == TierScope::kShared) {
    law.request_time_s = 0.0;
    law.held_fraction = 0.0;
  }
  return law;
}

class StreamFields {
 public:
  StreamFields(const StorageFit& fit, const FittedPoints& fitted, const Scenario& scenario)
      : scenario_(scenario),
        streams_(fit_streams(fitted.points, law_of_scenario(fit, scenario), fit)),
        source_(fmt::format(
            "{} points of files read in order through the page cache, of {}: one gives {}", streams_.points,
            fitted.files,
            format_quantity(Dimension::kByteRate, rounded(streams_.alone_bytes_per_s(streams_.request_bytes.value))))) {
  }

  // Whether the page cache's read-ahead decides what a read of this job costs.
  bool decide() const {
    if (!streams_.request_bytes.known || bypasses_host(scenario_)) return false;
    return reads_in_file_order(scenario_) ||
           (scenario_.dataset.layout == DatasetLayout::kFilePerSample && sample_bytes() > streams_.request_bytes.value);
  }

  // What all readers of a machine get by this way, where it is less than the storage gives.
  FittedNumber bandwidth(const FittedNumber& of_storage) const {
    const FittedNumber& through_cache = streams_.bytes_per_s;
    const bool lower = decide() && through_cache.known && (!of_storage.known || through_cache.value < of_storage.value);
    return lower ? through_cache : of_storage;
  }
  const std::string& source() const { return source_; }

  void add_to(std::vector<FieldMeasurement>& out) const {
    if (reads_in_file_order(scenario_)) {
      const FittedNumber& request = streams_.request_bytes;
      out.push_back(from_fit("/dataset/request_size", rounded(request.value, kFittedDigits), request, source_));
      without_stream_rate(out);
      return;
    }
    // The scenario's read of a sample is one latency and its bytes at this rate. Fewer bytes in flight are slower.
    const auto rate_at = [&](double request) {
      const double transfer_s = sample_bytes() / streams_.alone_bytes_per_s(request) - streams_.law.latency_s;
      return transfer_s > 0.0 ? sample_bytes() / transfer_s : 0.0;
    };
    const FittedNumber& request = streams_.request_bytes;
    FittedNumber rate{rate_at(request.value), rate_at(request.low), rate_at(request.high), true};
    if (rate.value <= 0.0) {  // it takes no longer than the first latency
      without_stream_rate(out);
      return;
    }
    rate.low = rate.low > 0.0 ? std::min(rate.low, rate.value) : rate.value;
    rate.high = std::max(rate.high, rate.value);
    out.push_back(from_fit("/storage/stream_bandwidth", rounded(rate.value, kFittedDigits), rate, source_));
  }

 private:
  // A read-ahead does not wait for one request at a time: the rate of single requests is no limit of a stream.
  void without_stream_rate(std::vector<FieldMeasurement>& out) const {
    if (scenario_.storage.stream_bandwidth > bytes_per_second(0.0))
      out.push_back({"/storage/stream_bandwidth", 0.0, 1.0, 1.0, source_ + "; 0 is no limit"});
  }

  double sample_bytes() const { return mean_of(scenario_.dataset.sample_size); }

  const Scenario& scenario_;
  StreamFit streams_;
  std::string source_;
};

}  // namespace

std::vector<FieldMeasurement> storage_fields(const StorageFit& fit, const FittedPoints& fitted,
                                             const Scenario& scenario) {
  const std::string source = fmt::format("fit of {} points of {}", fit.residuals.size(), fitted.files);
  std::vector<FieldMeasurement> out;
  const auto add = [&](const char* pointer, const FittedNumber& number, const std::string& from) {
    if (number.known) out.push_back(from_fit(pointer, rounded(number.value, kFittedDigits), number, from));
  };
  if (fit.latency_s.known) {
    const bool sequential = reads_in_file_order(scenario) && fit.sequential_latency_ratio.known;
    const double mean =
        rounded(fit.latency_s.value * (sequential ? fit.sequential_latency_ratio.value : 1.0), kFittedDigits);
    const double sigma = fit.latency_sigma.known ? rounded(fit.latency_sigma.value, kFittedDigits) : 0.0;
    const Distribution latency = sigma > 0.0 ? Distribution::lognormal(mean, sigma) : Distribution::constant(mean);
    out.push_back(from_fit("/storage/latency", latency, fit.latency_s, source));
  }
  const StreamFields streams(fit, fitted, scenario);
  streams.decide() ? streams.add_to(out) : add("/storage/stream_bandwidth", fit.stream_bytes_per_s, source);
  if (fit.open_latency_s.known)
    out.push_back(from_fit("/storage/open_latency",
                           Distribution::constant(rounded(fit.open_latency_s.value, kFittedDigits)), fit.open_latency_s,
                           source));
  const FittedNumber bandwidth = streams.bandwidth(fit.bytes_per_s);
  const std::string& bandwidth_from = bandwidth.value == fit.bytes_per_s.value ? source : streams.source();
  if (scenario.storage.scope == TierScope::kShared) {
    add("/storage/client_read_bandwidth", bandwidth, bandwidth_from);
    return out;
  }
  add("/storage/read_bandwidth", bandwidth, bandwidth_from);
  add("/storage/metadata_rate", fit.opens_per_s, source);
  if (const FittedNumber& rate = fit.requests_per_s; rate.known)
    out.push_back({"/storage/request_time", rounded(1.0 / rate.value, kFittedDigits), rate.value / rate.high,
                   rate.value / rate.low, source});
  // The likeliest, where the points do not determine it. A device without a bandwidth cannot be held.
  if (const FittedNumber& held = fit.held_fraction; held.value > 0.0 && bandwidth.known)
    out.push_back({"/storage/latency_held_fraction", rounded(held.value, kFittedDigits), 1.0, 1.0, source});
  return out;
}

}  // namespace stallcast
