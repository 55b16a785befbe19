// A measured record goes through an overlay and a scenario and comes out with the fit's numbers.
#include "core/calibrate/tier_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/catalogue/catalogue.h"
#include "core/catalogue/catalogue_check.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/units/distribution.h"
#include "tests/core/calibrate/synthetic_storage.h"
#include "tests/core/catalogue/record_files.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using OrderedJson = nlohmann::ordered_json;

constexpr double kDigits = 1e-3;  // four significant digits

StorageFit measured() {
  SyntheticStorage disk;
  disk.law.latency_s = 80e-6;
  disk.law.request_time_s = 8e-6;
  disk.law.seconds_per_byte = 1.0 / 2.7e9;
  disk.law.held_fraction = 0.5;
  std::mt19937_64 random(11);
  std::vector<ReadPoint> points = probe_points(disk, {0.02, 0.02}, random);
  SyntheticStorage metadata;
  metadata.law.latency_s = 150e-6;
  metadata.law.request_time_s = 50e-6;
  for (const double n : {1.0, 4.0, 16.0})
    for (int pass = 0; pass < 2; ++pass)
      points.push_back(measured_point(metadata, AccessPattern::kOpen, n, 0.0, {0.02, 0.02}, random));
  return *fit_storage(points).value;
}

TierLabel label(TierScope scope) {
  return {"disk_measured", "A disk, probed", {"stallcast probe", "probe.json", "2026-11-21", ""}, scope};
}

class TierRecordFile : public RecordFiles {
 protected:
  Catalogue with(const OrderedJson& record) {
    write("overlay/tiers/disk_measured.json", record.dump(2));
    Loaded<Catalogue> loaded = load_catalogue(STALLCAST_SOURCE_DIR "/models", {directory() / "overlay"});
    EXPECT_TRUE(loaded.ok()) << rendered(loaded.findings);
    EXPECT_THAT(rendered(loaded.findings), Not(HasSubstr("disk_measured")));
    EXPECT_THAT(rendered(check_catalogue(*loaded.value, "2026-11-22").findings), Not(HasSubstr("disk_measured")));
    return *loaded.value;
  }
  static StorageSpec resolved(const Catalogue& catalogue) {
    const auto file =
        parse_scenario(OrderedJson::parse(R"({"workload": {"step_time": "1 s"}, "dataset": {"sample_size": "1 MB"},
                                                     "storage": {"tier": "disk_measured"}})"),
                       "s.json");
    const auto scenario = resolve(*file.value, catalogue);
    EXPECT_TRUE(scenario.ok()) << rendered(scenario.findings);
    return scenario.value->scenario.storage;
  }
};

void expect_near(double value, const FittedNumber& fitted) {
  ASSERT_TRUE(fitted.known);
  EXPECT_NEAR(value / fitted.value, 1.0, kDigits);
}

TEST_F(TierRecordFile, ADeviceOfANodeKeepsItsWholeLaw) {
  const StorageFit fit = measured();
  const StorageSpec storage = resolved(with(tier_record(fit, label(TierScope::kPerNode))));
  EXPECT_EQ(storage.scope, TierScope::kPerNode);
  expect_near(storage.read_bandwidth.base(), fit.bytes_per_s);
  expect_near(1.0 / storage.request_time.base(), fit.requests_per_s);
  expect_near(mean_of(storage.latency), fit.latency_s);
  expect_near(storage.latency.sigma, fit.latency_sigma);
  expect_near(storage.latency_held_fraction, fit.held_fraction);
  expect_near(mean_of(storage.open_latency), fit.open_latency_s);
  expect_near(storage.metadata_rate.base(), fit.opens_per_s);
  EXPECT_EQ(storage.read_iops.base(), 0.0);
}

TEST_F(TierRecordFile, TheIntervalsComeWithTheNumbers) {
  const StorageFit fit = measured();
  const Catalogue catalogue = with(tier_record(fit, label(TierScope::kPerNode)));
  const TierRecord& record = catalogue.tiers.at("disk_measured");
  const Evidence& bandwidth = record.laws.read_bandwidth.base->evidence;
  EXPECT_EQ(bandwidth.kind, "measured");
  EXPECT_THAT(bandwidth.source, HasSubstr("probe.json"));
  EXPECT_NEAR(bandwidth.low_factor, fit.bytes_per_s.low / fit.bytes_per_s.value, kDigits);
  EXPECT_NEAR(bandwidth.high_factor, fit.bytes_per_s.high / fit.bytes_per_s.value, kDigits);
  EXPECT_NEAR(record.request_time->evidence.high_factor, fit.requests_per_s.value / fit.requests_per_s.low, kDigits);
}

// Whatever one client gets of a shared system says nothing of the whole: it is no read_iops and no read_bandwidth.
TEST_F(TierRecordFile, AClientOfASharedSystemKnowsItsOwnShare) {
  const StorageFit fit = measured();
  const OrderedJson record = tier_record(fit, label(TierScope::kShared));
  EXPECT_THAT(record["status_note"].get<std::string>(), HasSubstr("requests/s of one client"));
  const StorageSpec storage = resolved(with(record));
  EXPECT_EQ(storage.scope, TierScope::kShared);
  expect_near(storage.client_read_bandwidth.base(), fit.bytes_per_s);
  EXPECT_EQ(storage.read_bandwidth.base(), 0.0);
  EXPECT_EQ(storage.read_iops.base(), 0.0);
  EXPECT_EQ(storage.latency_held_fraction, 0.0);
}

TEST_F(TierRecordFile, WhatIsNotKnownIsNotWritten) {
  StorageFit fit;
  fit.latency_s = {1e-3, 0.9e-3, 1.1e-3, true};
  fit.requests_per_s = {1e4, 0.9e4, 1.1e4, true};
  fit.held_fraction = {0.7, 0.5, 0.9, true};
  const OrderedJson facts = tier_record(fit, label(TierScope::kPerNode))["facts"];
  EXPECT_EQ(facts.size(), 2U);  // latency_mean, read_iops: without a bandwidth no time of the device
  EXPECT_TRUE(facts.contains("read_iops"));
}

TEST_F(TierRecordFile, AnIntervalThatLeavesOutItsValueIsAFinding) {
  write_tier("disk", R"("latency_mean": {"value": "1 ms", "low": "2 ms", "high": "3 ms", "source": "page",
                        "kind": "measured"})",
             "", "", "base/tiers");
  const std::string text = rendered(load_catalogue(file("base")).findings);
  EXPECT_THAT(text, HasSubstr("error[out_of_range] at /facts/latency_mean/low"));
  EXPECT_THAT(text, HasSubstr("got \"2 ms\"; allowed above 0, at most \"1 ms\""));
}

}  // namespace
}  // namespace stallcast
