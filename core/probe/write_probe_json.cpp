#include "core/probe/write_probe_json.h"

#include <fmt/format.h>

#include <cmath>

namespace stallcast {
namespace {

using nlohmann::ordered_json;

constexpr const char* kWriteFormat = "stallcast write probe";

ordered_json clean_text(const std::string& text) {
  return ordered_json::parse(ordered_json(text).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

ordered_json file_cost_json(const FileCost& cost) { return {{"count", cost.count}, {"mean_s", cost.mean_s}}; }

ordered_json write_point_json(const WritePoint& point) {
  ordered_json visits = ordered_json::array();
  for (const WritePoint::Visit& visit : point.visits)
    visits.push_back({{"bytes", visit.bytes}, {"write_s", visit.write_s}, {"synced_s", visit.synced_s}});
  return {{"mode", point.mode == WriteMode::kBuffered ? "buffered" : "direct"},
          {"streams", point.streams},
          {"block_bytes", point.block_bytes},
          {"write_bytes_per_s", point.write_rate()},
          {"synced_bytes_per_s", point.synced_rate()},
          {"visits", std::move(visits)}};
}

double rate_or_zero(const WritePoint* point, double (WritePoint::*rate)() const) {
  return point == nullptr ? 0.0 : (point->*rate)();
}

// The most that reached storage in any way that was tried.
double most(const WriteProbeResult& r) {
  return std::max(rate_or_zero(best_point(r, WriteMode::kBuffered), &WritePoint::synced_rate),
                  std::max(rate_or_zero(best_point(r, WriteMode::kDirect), &WritePoint::synced_rate),
                           rate_or_zero(best_point(r, WriteMode::kBuffered), &WritePoint::flush_rate)));
}

}  // namespace

ordered_json write_probe_to_json(const WriteProbeResult& r, std::string_view program_version) {
  ordered_json points = ordered_json::array(), flaws = ordered_json::array();
  for (const WritePoint& point : r.points) points.push_back(write_point_json(point));
  for (const ProbeFlaw& flaw : r.flaws) {
    flaws.push_back({{"code", flaw.code},
                     {"weight", flaw.weight == ProbeFlaw::Weight::kRefuse ? "refuse" : "widen"},
                     {"widen", flaw.widen},
                     {"text", clean_text(flaw.text)}});
  }
  return {{"format", kWriteFormat},
          {"format_version", kWriteProbeFormatVersion},
          {"program_version", program_version},
          {"target", clean_text(r.target)},
          {"started", r.started},
          {"host", r.host},
          {"file_system", r.file_system},
          {"cores", r.cores},
          {"seconds", r.seconds},
          {"bytes", r.bytes},
          {"allowed_seconds", r.allowed_seconds},
          {"allowed_bytes", r.allowed_bytes},
          {"interrupted", r.interrupted},
          {"refused", r.refused()},
          {"widen", r.widen()},
          {"rates",
           {{"write_bytes_per_s", most(r)},
            {"stream_bytes_per_s", rate_or_zero(one_stream(r, WriteMode::kDirect), &WritePoint::synced_rate)},
            {"buffer_bytes_per_s", rate_or_zero(one_stream(r, WriteMode::kBuffered), &WritePoint::write_rate)}}},
          {"small_files",
           {{"sync", file_cost_json(r.sync)},
            {"file", file_cost_json(r.file)},
            {"synced_file", file_cost_json(r.synced_file)}}},
          {"points", std::move(points)},
          {"flaws", std::move(flaws)},
          {"notes", r.notes}};
}

bool is_write_probe(const ordered_json& document) {
  return document.is_object() && document.value("format", ordered_json()) == kWriteFormat;
}

Loaded<WriteRates> write_rates_from_json(const ordered_json& document, const std::string& file) {
  Loaded<WriteRates> out;
  if (document.value("format_version", ordered_json()) != kWriteProbeFormatVersion) {
    out.findings.add({Severity::kError, "unknown_version", file, "/format_version",
                      document.value("format_version", ordered_json()).dump(),
                      fmt::format("{}", kWriteProbeFormatVersion), "probe once more with this program", ""});
    return out;
  }
  WriteRates rates;
  const auto number = [&](const char* pointer) {
    const ordered_json::json_pointer at(pointer);
    const ordered_json value = document.contains(at) ? document.at(at) : ordered_json();
    const double read = value.is_number() ? value.get<double>() : -1.0;
    if (!(read >= 0.0) || !std::isfinite(read)) {
      out.findings.add(
          {Severity::kError, "wrong_type", file, pointer, value.dump(), "a number, 0 or more", "probe once more", ""});
    }
    return read;
  };
  rates.write_bandwidth = number("/rates/write_bytes_per_s");
  rates.stream_rate = number("/rates/stream_bytes_per_s");
  rates.buffer_bandwidth = number("/rates/buffer_bytes_per_s");
  rates.file_s = number("/small_files/file/mean_s");
  rates.synced_file_s = number("/small_files/synced_file/mean_s");
  rates.widen = std::max(1.0, number("/widen"));
  rates.refused = document.value("refused", ordered_json()) == true;
  for (const auto& flaw : document.value("flaws", ordered_json::array())) {
    if (flaw.is_object() && flaw.value("weight", "") == "refuse")
      rates.why += (rates.why.empty() ? "" : "; ") + flaw.value("text", "");
  }
  if (!out.findings.has_errors()) out.value = rates;
  return out;
}

}  // namespace stallcast
