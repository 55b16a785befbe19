// The bill as text, JSON and CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/report/json/cost_json.h"
#include "core/report/json/result_document.h"
#include "core/report/text/cost_text.h"
#include "tests/core/cost/bills.h"
#include "tests/core/report/text_width.h"

namespace stallcast {
namespace {

using namespace bills;
using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

// 10 h at $32.77, a tenth off: 294.93; a fifth of it lost, 58.986, three quarters to decoding. 1,200 GiB at 0.14 for
// 10 h of 730: 16.43835616438 GiB-months, 2.3014. 297.2314 / (8 h * 8 GPUs) = 4.6442.
CostBreakdown day_on_fsx() {
  TierRecord fsx = provisioned("fsx", "0.14", "GiB-month");
  fsx.prices["capacity"].evidence.kind = "assumed";
  Scenario s = storage_job(1200);
  s.cost.host_discount = 0.1;
  s.cluster.instance = "p4d";
  s.run.epochs = 2;
  return price_run(s, {nullptr, &fsx, nullptr}, run(s, 10, 0.8));
}

TEST(CostText, IsABillWithItsArithmetic) {
  EXPECT_EQ(render_cost(day_on_fsx(), kAscii),
            "Bill\n"
            "  $294.93  1 x p4d, training: 10 x $32.77 per hour, less 10 %\n"
            "    $2.30  fsx, 1200 GiB: 16.4384 x $0.14 per GiB-month (price assumed)\n"
            "  $297.23  total\n"
            "Effective price  $4.64 per useful GPU-hour, $148.62 per epoch, $148.62 per\n"
            "                 million samples\n"
            "Idle GPU cost    $58.99 of the machines' $294.93; largest cause, $44.24:\n"
            "                 decoding and collating on the CPU\n");
}

// A fifth of 10 h, 2 h done again, 1 h of recovery and 13 h of a spare: 65.54 + 65.54 + 32.77 + 426.01 = 589.86 of
// 26 h at $32.77 = 852.02.
TEST(CostText, SaysWhatInterruptionsCost) {
  Scenario s = job();
  s.failures.spares = 1;
  RunResult r = run(s, 10, 0.8);
  r.totals.rework_s = 2 * kHour;
  r.totals.recovery_s = kHour;
  r.totals.spare_node_s = 13 * kHour;
  const std::string text = render_cost(price_run(s, {}, r), kAscii);
  EXPECT_THAT(text, HasSubstr("  $327.70  1 x machine, training: 10 x $32.77 per hour\n"
                              "   $65.54  1 x machine, recomputed steps: 2 x $32.77 per hour\n"
                              "   $32.77  1 x machine, recovery from interruptions: 1 x $32.77 per hour\n"
                              "  $426.01  1 x machine, spares: 13 x $32.77 per hour\n"
                              "  $852.02  total\n"));
  EXPECT_THAT(text, HasSubstr("Idle GPU cost    $589.86 of the machines' $852.02; largest cause, $426.01: spare\n"
                              "                 machines\n"));
  r.totals.spare_node_s = 0.0;
  r.totals.rework_s = 20 * kHour;
  EXPECT_THAT(render_cost(price_run(s, {}, r), kAscii), HasSubstr("steps lost to interruptions and"));
}

// 5 list requests at $0.005 per 1,000 are $0.000025.
TEST(CostText, CountsWhatIsBelowACent) {
  const TierRecord bucket = s3();
  const Scenario s = job();
  RunResult r = run(s, 1);
  r.totals.list_requests = 5;
  EXPECT_THAT(render_cost(price_run(s, {nullptr, &bucket, nullptr}, r), kAscii),
              HasSubstr("per hour\n   $0.00  1 line below a cent\n  $32.77  total\n"));
}

TEST(CostText, SaysWhatIsNotKnown) {
  Scenario s = job();
  s.cost.node_price = {};
  const std::string text = render_cost(price_run(s, {}, run(s, 1)), kAscii);
  EXPECT_THAT(text, HasSubstr("  UNKNOWN  price of the machines: they are described by hand; give"));
  EXPECT_THAT(text, HasSubstr("  UNKNOWN  total\n"));
  EXPECT_THAT(text, Not(HasSubstr("Effective")));
}

TEST(CostText, WithoutALengthGivesRates) {
  RunResult r;
  r.gpu_utilization = {0.5, 0.5, 0.5};
  EXPECT_EQ(render_cost(price_run(job(), {}, r), kAscii),
            "Bill             none: the length of the run is not given (dataset.samples or\n"
            "                 run.steps_per_epoch)\n"
            "By the hour      machines $32.77, storage $0.00\n"
            "Effective price  $8.19 per useful GPU-hour\n");
}

TEST(CostText, ARunWithoutEndHasNoBill) {
  Scenario s = job();
  s.failures.spares = 1;
  RunResult r = run(s, 10);
  r.time_to_train_s = r.totals.spare_node_s = std::numeric_limits<double>::infinity();
  const CostBreakdown cost = price_run(s, {}, r);
  EXPECT_THAT(
      render_cost(cost, kAscii),
      HasSubstr(
          "Bill             none: the run never ends, because interruptions undo all\n                 progress\n"));
  EXPECT_EQ(cost_to_json(cost)["unknown"][0], "UNKNOWN total: the run does not end, interruptions undo what it does");
}

TEST(CostJson, LinesAddUpToTheSumsAsTexts) {
  const ordered_json cost = cost_to_json(day_on_fsx());
  ExactNumber sum = 0;
  for (const ordered_json& line : cost["lines"]) {
    const auto number = [&](const char* key) { return *ExactNumber::parse(line[key].get<std::string>()); };
    EXPECT_EQ(number("quantity") * number("list_price_usd"), number("list_usd"));
    EXPECT_EQ(number("list_usd") * (1 - number("discount")), number("usd"));
    sum += number("usd");
  }
  EXPECT_EQ(cost["total_usd"], sum.to_double());
  EXPECT_DOUBLE_EQ(cost["wasted_usd"].get<double>(), 58.986);
  EXPECT_DOUBLE_EQ(cost["by_cause"]["cpu_decode"].get<double>(), 44.2395);
  EXPECT_EQ(cost["lines"][1]["source"], "a price list");
  EXPECT_EQ(cost["lines"][1]["kind"], "assumed");
}

// The columns of a sized, an unsized and an unpriced run are the same.
TEST(CostCsv, HasTheSameColumnsWhateverIsKnown) {
  const auto header = [](const CostBreakdown& cost) {
    const std::string csv = result_csv(result_document({}, {}, cost, ordered_json::object(), {}));
    return csv.substr(0, csv.find('\n'));
  };
  Scenario unpriced = job();
  unpriced.cost.node_price = {};
  EXPECT_EQ(header(day_on_fsx()), header(price_run(job(), {}, RunResult{})));
  EXPECT_EQ(header(day_on_fsx()), header(price_run(unpriced, {}, run(unpriced, 1))));
  EXPECT_THAT(header(day_on_fsx()), HasSubstr("cost.total_usd"));
}

}  // namespace
}  // namespace stallcast
