#include "core/units/quantity_text.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace stallcast {
namespace {

double read(Dimension dimension, const std::string& text) {
  const QuantityReading reading = parse_quantity(dimension, text);
  EXPECT_TRUE(reading.base.has_value()) << text << ": " << reading.error_code << " " << reading.fix;
  return reading.base.value_or(std::nan(""));
}

struct Row {
  Dimension dimension;
  std::string text;
  double base;
};

TEST(QuantityText, ReadsEveryUnit) {
  const std::vector<Row> rows = {
      {Dimension::kTime, "250 ns", 250e-9},
      {Dimension::kTime, "7 us", 7e-6},
      {Dimension::kTime, "7 \u00b5s", 7e-6},
      {Dimension::kTime, "7 \u03bcs", 7e-6},
      {Dimension::kTime, "2.5 ms", 0.0025},
      {Dimension::kTime, "-1.8 ms", -0.0018},
      {Dimension::kTime, "0 s", 0},
      {Dimension::kTime, "30 min", 1800},
      {Dimension::kTime, "72h", 259200},
      {Dimension::kTime, "54 d", 4665600},
      {Dimension::kBytes, "17 B", 17},
      {Dimension::kBytes, "110 kB", 110e3},
      {Dimension::kBytes, "1.5 MB", 1.5e6},
      {Dimension::kBytes, "64 GB", 64e9},
      {Dimension::kBytes, "2 TB", 2e12},
      {Dimension::kBytes, "3 PB", 3e15},
      {Dimension::kBytes, "1 EB", 1e18},
      {Dimension::kBytes, "128KiB", 131072},
      {Dimension::kBytes, "1 MiB", 1048576},
      {Dimension::kBytes, "1 GiB", 1073741824},
      {Dimension::kBytes, "100 TiB", 109951162777600},
      {Dimension::kBytes, "1 PiB", 1125899906842624},
      {Dimension::kByteRate, "12.5 GB/s", 12.5e9},
      {Dimension::kByteRate, "3 GiB/s", 3221225472},
      {Dimension::kByteRate, "200 Gbps", 25e9},  // 200e9 bits / 8
      {Dimension::kByteRate, "200 Gb/s", 25e9},
      {Dimension::kByteRate, "800 Mbps", 100e6},
      {Dimension::kRate, "2400 samples/s", 2400},
      {Dimension::kRate, "30000 IOPS", 30000},
      {Dimension::kRate, "30k IOPS", 30000},
      {Dimension::kRate, "30 kIOPS", 30000},
      {Dimension::kRate, "5000 req/s", 5000},
      {Dimension::kRate, "5000 ops/s", 5000},
      {Dimension::kRate, "12 1/s", 12},
      {Dimension::kRate, "12 /s", 12},
      {Dimension::kFlops, "8.2 GFLOP", 8.2e9},
      {Dimension::kFlops, "8.2 GFLOPs", 8.2e9},
      {Dimension::kFlopRate, "989 TFLOP/s", 989e12},
      {Dimension::kFlopRate, "312 TFLOPS", 312e12},
      {Dimension::kUsd, "$100", 100},
      {Dimension::kUsd, "-$5", -5},
      {Dimension::kUsd, "100 USD", 100},
      {Dimension::kUsdPerHour, "$32.77/h", 32.77},
      {Dimension::kUsdPerHour, "32.77 USD/h", 32.77},
      {Dimension::kFraction, "0.95", 0.95},
      {Dimension::kFraction, "95 %", 0.95},
      {Dimension::kFraction, "95%", 0.95},
      {Dimension::kCount, "1281167", 1281167},
      {Dimension::kCount, "1.28M", 1280000},
      {Dimension::kNone, "-0.35", -0.35},
      {Dimension::kNone, "1e-3", 0.001},
      {Dimension::kTime, "1e3 ms", 1},
      {Dimension::kTime, "  5 s ", 5},
  };
  for (const Row& row : rows) EXPECT_EQ(read(row.dimension, row.text), row.base) << row.text;
}

TEST(QuantityText, PrintsAsPeopleWrite) {
  const std::vector<Row> rows = {
      {Dimension::kBytes, "100 TiB", 109951162777600},
      {Dimension::kBytes, "9.6 TiB", 9.6 * 1099511627776.0},
      {Dimension::kBytes, "2560 MiB", 2.5 * 1073741824.0},
      {Dimension::kBytes, "64 GB", 64e9},
      {Dimension::kBytes, "128 KiB", 131072},
      {Dimension::kBytes, "114.7 kB", 114700},
      {Dimension::kBytes, "0 B", 0},
      {Dimension::kBytes, "0.5 B", 0.5},
      {Dimension::kByteRate, "12.5 GB/s", 12.5e9},
      {Dimension::kByteRate, "25 GB/s", 25e9},
      {Dimension::kByteRate, "2 GiB/s", 2147483648},
      {Dimension::kTime, "2.5 ms", 0.0025},
      {Dimension::kTime, "30 min", 1800},
      {Dimension::kTime, "90 s", 90},
      {Dimension::kTime, "1 h", 3600},
      {Dimension::kTime, "3 d", 259200},
      {Dimension::kTime, "-1.8 ms", -0.0018},
      {Dimension::kTime, "7 us", 7e-6},
      {Dimension::kTime, "0.5 ns", 5e-10},
      {Dimension::kTime, "0 s", 0},
      {Dimension::kFlopRate, "989 TFLOP/s", 989e12},
      {Dimension::kFlops, "8.2 GFLOP", 8.2e9},
      {Dimension::kUsd, "$100", 100},
      {Dimension::kUsd, "-$5", -5},
      {Dimension::kUsdPerHour, "$32.77/h", 32.77},
      {Dimension::kFraction, "0.95", 0.95},
      {Dimension::kCount, "1281167", 1281167},
      {Dimension::kRate, "2400 /s", 2400},
  };
  for (const Row& row : rows) EXPECT_EQ(format_quantity(row.dimension, row.base), row.text);
  EXPECT_EQ(format_quantity(Dimension::kRate, 2400, "samples"), "2400 samples/s");
  EXPECT_EQ(format_quantity(Dimension::kRate, 30000, "IOPS"), "30000 IOPS");
}

TEST(QuantityText, ReadsBackExactlyWhatItPrinted) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-15, 24);
  std::uniform_real_distribution<double> mantissa(1, 10);
  for (int i = 0; i < 20000; ++i) {
    double value = mantissa(random) * std::pow(10.0, exponent(random));
    if (i % 3 == 0) value = std::round(value);
    if (i % 5 == 0) value = std::floor(mantissa(random) * 100) * std::pow(1024.0, i % 6);
    if (i % 7 == 0) value = std::floor(mantissa(random) * 100) * 60;
    for (const Dimension dimension :
         {Dimension::kNone, Dimension::kTime, Dimension::kBytes, Dimension::kByteRate, Dimension::kRate,
          Dimension::kFlops, Dimension::kFlopRate, Dimension::kUsd, Dimension::kUsdPerHour}) {
      const std::string text = format_quantity(dimension, value);
      ASSERT_EQ(read(dimension, text), value) << text;
      ASSERT_EQ(read(dimension, format_quantity(dimension, -value)), -value) << text;
    }
    const double fraction = value / (1 + value);
    ASSERT_EQ(read(Dimension::kFraction, format_quantity(Dimension::kFraction, fraction)), fraction);
  }
}

TEST(QuantityText, SurvivesExtremeNumbers) {
  for (const double value : {5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 9007199254740993.0, 1e23}) {
    EXPECT_EQ(read(Dimension::kNone, format_number(value)), value);
    EXPECT_EQ(read(Dimension::kBytes, format_quantity(Dimension::kBytes, value)), value);
  }
  EXPECT_FALSE(std::signbit(read(Dimension::kTime, "-0 s")));
  EXPECT_EQ(parse_quantity(Dimension::kNone, "1e99999999999999999999").error_code, "out_of_range");
  EXPECT_EQ(read(Dimension::kNone, "1e-99999999999999999999"), 0.0);
}

TEST(QuantityText, ReadsWhatCanMeanOneThingOnly) {
  EXPECT_EQ(read(Dimension::kBytes, "150KB"), 150e3);
  EXPECT_EQ(read(Dimension::kBytes, "12 bytes"), 12.0);
  EXPECT_EQ(read(Dimension::kByteRate, "5 GB/sec"), 5e9);
  EXPECT_EQ(read(Dimension::kByteRate, "5 KB/s"), 5e3);
  EXPECT_EQ(read(Dimension::kTime, "5 minutes"), 300.0);
  EXPECT_EQ(read(Dimension::kTime, "90d"), 90.0 * 86400.0);
  EXPECT_EQ(read(Dimension::kTime, "2 weeks"), 14.0 * 86400.0);
  EXPECT_EQ(read(Dimension::kFraction, "5 percent"), 0.05);
  EXPECT_EQ(read(Dimension::kUsdPerHour, "$2.50/hour"), 2.5);
  EXPECT_EQ(read(Dimension::kCount, "1.28M"), 1280000.0);
  EXPECT_EQ(read(Dimension::kCount, "50K"), 50000.0);
  EXPECT_EQ(read(Dimension::kCount, "1.2 billion"), 1.2e9);
  EXPECT_EQ(read(Dimension::kCount, "1,281,167"), 1281167.0);
  // GB and GiB stay apart, and a comma elsewhere stays what nobody can tell.
  EXPECT_NE(read(Dimension::kBytes, "1 GB"), read(Dimension::kBytes, "1 GiB"));
  EXPECT_FALSE(parse_quantity(Dimension::kCount, "1,28").base);
  EXPECT_FALSE(parse_quantity(Dimension::kCount, "1281,167").base);
  EXPECT_FALSE(parse_quantity(Dimension::kBytes, "1,200 GB").base);
}

struct Refusal {
  Dimension dimension;
  std::string text;
  std::string code;
  std::string fix;
};

TEST(QuantityText, ExplainsWhatItRefuses) {
  const std::vector<Refusal> rows = {
      {Dimension::kByteRate, "12.5", "missing_unit", "did you mean \"12.5 GB/s\"?"},
      {Dimension::kTime, "3", "missing_unit", "did you mean \"3 s\"?"},
      {Dimension::kUsdPerHour, "32", "missing_unit", "did you mean \"$32/h\"?"},
      {Dimension::kByteRate, "12.5 gb/s", "wrong_case", "did you mean \"12.5 GB/s\"?"},
      {Dimension::kByteRate, "12.5 GBPS", "unknown_unit", "did you mean \"12.5 GB/s\"?"},
      {Dimension::kByteRate, "12.5 GBps", "unknown_unit", "did you mean \"12.5 GB/s\"?"},
      {Dimension::kByteRate, "200 gbps", "wrong_case", "did you mean \"200 Gbps\"?"},
      {Dimension::kBytes, "12 gib", "wrong_case", "did you mean \"12 GiB\"?"},
      {Dimension::kByteRate, "12.5 GB", "wrong_unit", "did you mean \"12.5 GB/s\"?"},
      {Dimension::kBytes, "12.5 GB/s", "wrong_unit", "did you mean \"12.5 GB\"?"},
      {Dimension::kBytes, "12 Gb", "wrong_unit", "did you mean \"12 GB\"?"},
      {Dimension::kTime, "12 GB", "wrong_unit", ""},
      {Dimension::kFlops, "989 TFLOP/s", "wrong_unit", "did you mean \"989 TFLOP\"?"},
      {Dimension::kFlopRate, "989 TFLOP", "wrong_unit", "did you mean \"989 TFLOP/s\"?"},
      {Dimension::kUsdPerHour, "$32", "wrong_unit", "did you mean \"$32/h\"?"},
      {Dimension::kUsd, "$32/h", "wrong_unit", "did you mean \"$32\"?"},
      {Dimension::kTime, "5 MS", "wrong_case", "did you mean \"5 ms\"?"},
      {Dimension::kTime, "5 parsecs", "unknown_unit", ""},
      {Dimension::kTime, "fast", "not_a_quantity", "write it like \"2.5 ms\""},
      {Dimension::kTime, "", "not_a_quantity", "write it like \"2.5 ms\""},
      {Dimension::kTime, "nan s", "not_a_quantity", "write it like \"2.5 ms\""},
      {Dimension::kTime, "1,5 s", "not_a_quantity", "write it like \"2.5 ms\""},
      {Dimension::kFraction, "95", "out_of_range", "did you mean 0.95?"},
      {Dimension::kFraction, "-0.1", "out_of_range", ""},
      {Dimension::kFraction, "120 %", "out_of_range", ""},
      {Dimension::kCount, "2.5", "out_of_range", "did you mean 3?"},
      {Dimension::kCount, "8 GB", "wrong_unit", ""},
      {Dimension::kNone, "8 s", "wrong_unit", ""},
  };
  for (const Refusal& row : rows) {
    const QuantityReading reading = parse_quantity(row.dimension, row.text);
    EXPECT_FALSE(reading.base.has_value()) << row.text;
    EXPECT_EQ(reading.error_code, row.code) << row.text;
    EXPECT_EQ(reading.fix, row.fix) << row.text;
    EXPECT_FALSE(reading.allowed.empty()) << row.text;
  }
}

TEST(QuantityText, EverySuggestionIsItselfAccepted) {
  const std::vector<std::string> texts = {"12.5",     "12.5 gb/s", "12.5 GBPS", "3 KB",       "7 hours",
                                          "7 Sec",    "9 tflops",  "5 usd",     "5 Iops",     "5 mb",
                                          "5 MB/Sec", "9 MBps",    "5 qps",     "5 gflops/s", "5 usd/hour"};
  for (int d = 0; d <= static_cast<int>(Dimension::kCount); ++d) {
    const auto dimension = static_cast<Dimension>(d);
    EXPECT_TRUE(parse_quantity(dimension, example_text(dimension)).base) << example_text(dimension);
    for (const std::string& text : texts) {
      const std::string fix = parse_quantity(dimension, text).fix;
      const auto first = fix.find("mean \"");
      if (first == std::string::npos) continue;
      const std::string suggested = fix.substr(first + 6, fix.rfind('"') - first - 6);
      EXPECT_TRUE(parse_quantity(dimension, suggested).base) << text << " -> " << suggested;
    }
  }
}

}  // namespace
}  // namespace stallcast
