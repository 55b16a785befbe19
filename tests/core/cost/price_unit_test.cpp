#include "core/cost/money/price_unit.h"

#include <gtest/gtest.h>

#include "core/catalogue/unit_price.h"

namespace stallcast {
namespace {

constexpr std::int64_t kHourSeconds = 3600;
constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TEST(PriceUnit, EveryUnitOfTheCatalogueHasASize) {
  for (const std::string& name : price_units()) EXPECT_NE(find_price_unit(name), nullptr) << name;
  EXPECT_EQ(find_price_unit("GB-month"), nullptr);
}

// 8,760 h of a year / 12
TEST(PriceUnit, AMonthHas730Hours) {
  EXPECT_EQ(kHoursPerMonth * 12, 365 * 24);
  const Usage month = {Metered::kCapacity, kGiB, 730 * kHourSeconds};
  EXPECT_EQ(quantity_in(*find_price_unit("GiB-month"), month), ExactNumber(1));
  EXPECT_EQ(quantity_in(*find_price_unit("GiB-hour"), month), ExactNumber(730));
}

// One unit costs a dollar: so do its base units times its hours at the catalogue's price of one of them.
TEST(PriceUnit, AgreesWithTheCatalogue) {
  for (const std::string& name : price_units()) {
    const PriceUnit& unit = *find_price_unit(name);
    const double hours = unit.time_s ? (*unit.time_s / 3600).to_double() : 1.0;
    EXPECT_DOUBLE_EQ(unit_price({"1", name, {}})->usd * unit.size.to_double() * hours, 1.0) << name;
  }
}

TEST(PriceUnit, CountsInUnits) {
  EXPECT_EQ(quantity_in(*find_price_unit("hour"), {Metered::kThings, 4, 36 * kHourSeconds}), ExactNumber(144));
  EXPECT_EQ(quantity_in(*find_price_unit("1k requests"), {Metered::kRequests, 120'000'000, 0}), ExactNumber(120'000));
  EXPECT_EQ(quantity_in(*find_price_unit("10k requests"), {Metered::kRequests, 5'000, 0}), ExactNumber(1) / 2);
  EXPECT_EQ(quantity_in(*find_price_unit("GB"), {Metered::kTraffic, 5'000'000'000, 0}), ExactNumber(5));
  EXPECT_EQ(quantity_in(*find_price_unit("MiB/s-month"), {Metered::kBandwidth, 1'048'576, 365 * kHourSeconds}),
            ExactNumber(1) / 2);
}

TEST(PriceUnit, WillNotCountRequestsInGiB) {
  EXPECT_FALSE(quantity_in(*find_price_unit("GiB"), {Metered::kRequests, 1, 0}));
  EXPECT_FALSE(quantity_in(*find_price_unit("hour"), {Metered::kCapacity, kGiB, kHourSeconds}));
}

// A quantity has 12 decimals, as an invoice has some number of them: 1/730 of a month is 0.001369863014 of it.
TEST(PriceUnit, AQuantityEnds) {
  EXPECT_EQ(quantity_in(*find_price_unit("GiB-month"), {Metered::kCapacity, kGiB, kHourSeconds})->decimal(),
            "0.001369863014");
}

}  // namespace
}  // namespace stallcast
