// Short ways to read a file of measurements, whatever its tool, and to look at what came out.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/calibrate/read/measurements.h"
#include "tests/core/catalogue/record_files.h"

namespace stallcast {

class ReaderTest : public RecordFiles {
 protected:
  void write_gzip(const std::string& name, const std::string& text) const {
    const gzFile out = gzopen(file(name).c_str(), "wb");
    gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
    gzclose(out);
  }
  // What a file holds; an empty result fails the test with its findings.
  Measurements read(const std::string& path) const {
    const auto loaded = read_measurements(path);
    EXPECT_TRUE(loaded.ok()) << rendered(loaded.findings);
    return loaded.value.value_or(Measurements());
  }
  Measurements read_text(const std::string& text) const {
    write("input", text);
    return read(file("input"));
  }
  // Codes of all findings, "error" or "warning" in front; for the text `input` alone.
  std::vector<std::string> codes(const std::string& text) const {
    write("input", text);
    return codes_of(file("input"));
  }
  static std::vector<std::string> codes_of(const std::string& path) {
    const auto loaded = read_measurements(path);
    std::vector<std::string> out;
    for (const Finding& finding : loaded.findings.list()) {
      out.push_back((finding.severity == Severity::kError ? "error " : "warning ") + finding.code);
    }
    EXPECT_EQ(loaded.value.has_value(), !loaded.findings.has_errors());
    return out;
  }
  std::string message(const std::string& text) const {
    write("input", text);
    return rendered(read_measurements(file("input")).findings);
  }

  static const Observation* observation(const Measurements& measured, const std::string& quantity) {
    const auto found = std::find_if(measured.observations.begin(), measured.observations.end(),
                                    [&](const Observation& one) { return one.quantity == quantity; });
    return found == measured.observations.end() ? nullptr : &*found;
  }
  static const FieldMeasurement* field(const Measurements& measured, const std::string& pointer) {
    const auto found = std::find_if(measured.fields.begin(), measured.fields.end(),
                                    [&](const FieldMeasurement& one) { return one.pointer == pointer; });
    return found == measured.fields.end() ? nullptr : &*found;
  }
};

}  // namespace stallcast
