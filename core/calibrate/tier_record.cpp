#include "core/calibrate/tier_record.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

Json shown(Dimension dimension, double value) {
  if (dimension == Dimension::kNone) return rounded(value, kFittedDigits);
  return format_quantity(dimension, rounded(value, kFittedDigits));
}

class RecordWriter {
 public:
  void fact(const char* name, Dimension dimension, const FittedNumber& number) {
    if (!number.known || number.value <= 0.0) return;
    Json fact = {{"value", shown(dimension, number.value)}};
    if (number.low > 0.0 && number.low < number.high) {
      fact["low"] = shown(dimension, number.low);
      fact["high"] = shown(dimension, number.high);
    }
    fact["source"] = "measured";
    fact["kind"] = "measured";
    facts_[name] = std::move(fact);
  }

  // What the record has no field for.
  void note(const std::string& what, const FittedNumber& number) {
    if (!number.known) return;
    notes_.push_back(
        fmt::format("{} {:.4g} (90 % interval {:.4g} to {:.4g})", what, number.value, number.low, number.high));
  }

  Json facts() { return facts_.empty() ? Json::object() : facts_; }
  std::string notes() const {
    return notes_.empty() ? "" : fmt::format("Measured and without a field: {}.", fmt::join(notes_, "; "));
  }

 private:
  Json facts_ = Json::object();
  std::vector<std::string> notes_;
};

void write_device(RecordWriter& out, const StorageFit& fit) {
  out.fact("read_bandwidth", Dimension::kByteRate, fit.bytes_per_s);
  out.fact("metadata_rate", Dimension::kRate, fit.opens_per_s);
  if (!fit.bytes_per_s.known) {  // time of the device is kept as bytes at its bandwidth
    out.fact("read_iops", Dimension::kRate, fit.requests_per_s);
    out.note("share of the latency that is held", fit.held_fraction);
    return;
  }
  out.fact("request_time", Dimension::kTime, inverse(fit.requests_per_s));
  out.fact("latency_held_fraction", Dimension::kNone, fit.held_fraction);
}

void write_client(RecordWriter& out, const StorageFit& fit) {
  out.fact("client_read_bandwidth", Dimension::kByteRate, fit.bytes_per_s);
  out.note("requests/s of one client", fit.requests_per_s);
  out.note("share of the latency that is held", fit.held_fraction);
  out.note("opens/s of one client", fit.opens_per_s);
}

}  // namespace

Json tier_record(const StorageFit& fit, const TierLabel& label) {
  const bool device = label.scope == TierScope::kPerNode;
  RecordWriter out;
  out.fact("latency_mean", Dimension::kTime, fit.latency_s);
  out.fact("latency_sigma", Dimension::kNone, fit.latency_sigma);
  out.fact("open_latency_mean", Dimension::kTime, fit.open_latency_s);
  out.fact("stream_bandwidth", Dimension::kByteRate, fit.stream_bytes_per_s);
  device ? write_device(out, fit) : write_client(out, fit);
  out.note("latency of sequential reads over that of random ones", fit.sequential_latency_ratio);

  Json record = {{"kind", "tier"}, {"name", label.name}, {"title", label.title}, {"status", "current"}};
  if (const std::string notes = out.notes(); !notes.empty()) record["status_note"] = notes;
  record["scope"] = device ? "per_node" : "shared";
  record["client"] = device ? "local" : "kernel";
  Json source = {{"title", label.source.title}, {"locator", label.source.locator}, {"read", label.source.read}};
  if (!label.source.as_of.empty()) source["as_of"] = label.source.as_of;
  record["sources"] = {{"measured", std::move(source)}};
  record["facts"] = out.facts();
  return record;
}

}  // namespace stallcast
