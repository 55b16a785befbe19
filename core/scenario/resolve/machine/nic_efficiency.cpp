#include "core/scenario/resolve/machine/nic_efficiency.h"

#include <array>
#include <cmath>

namespace stallcast {
namespace {

struct Point {
  double line_rate;  // bytes per second
  double value, low, high;
};

constexpr double kGbitPerSecond = 1e9 / 8.0;
constexpr std::array kObjectStores{
    Point{10.0 * kGbitPerSecond, 0.92, 0.85, 0.95}, Point{50.0 * kGbitPerSecond, 0.88, 0.75, 0.93},
    Point{100.0 * kGbitPerSecond, 0.75, 0.5, 0.93}, Point{200.0 * kGbitPerSecond, 0.6, 0.45, 0.9}};

constexpr const char* kObjectStoreSource =
    "s3-benchmark (dvassallo): 0.93 of 10 Gb/s to 0.5 of 100; AnyBlob, PVLDB 16(11): 0.75 to 0.95; gcsfuse "
    "benchmarks.md: 0.58 of 200 Gb/s";
constexpr const char* kKernelSource =
    "ESnet, 100G host: 0.90 over TCP in many streams; headers alone leave 0.94 to 0.99";
constexpr const char* kUnknownSource =
    "the client is not known: ESnet, 0.90 over TCP; object stores and FUSE 0.5 to 0.95";

NicEfficiency object_store(double line_rate) {
  const auto made = [](double value, double low, double high) {
    return NicEfficiency{value, low, high, kObjectStoreSource};
  };
  const Point& first = kObjectStores.front();
  if (line_rate <= first.line_rate) return made(first.value, first.low, first.high);
  for (std::size_t i = 1; i < kObjectStores.size(); ++i) {
    const Point &a = kObjectStores[i - 1], &b = kObjectStores[i];
    if (line_rate > b.line_rate) continue;
    const double at = std::log(line_rate / a.line_rate) / std::log(b.line_rate / a.line_rate);
    return made(std::lerp(a.value, b.value, at), std::lerp(a.low, b.low, at), std::lerp(a.high, b.high, at));
  }
  const Point& last = kObjectStores.back();
  return made(last.value, last.low, last.high);
}

}  // namespace

NicEfficiency nic_efficiency(std::string_view client, BytesPerSecond line_rate) {
  if (client == "library" || client == "fuse") return object_store(line_rate.base());
  if (client.empty()) return {0.9, 0.5, 0.97, kUnknownSource};
  return {0.92, 0.75, 0.98, kKernelSource};
}

}  // namespace stallcast
