// Positions and values of sliders.
#include "gui/panel/slider_scale.h"

#include <QTest>

#include "core/scenario/fields/field_value.h"
#include "core/scenario/resolve/resolve.h"
#include "gui/panel/field_slider.h"
#include "tests/gui/gui_fixture.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {

class SliderScaleTest : public QObject {
  Q_OBJECT
 private slots:
  void fractionsAreHundredths();
  void quantitiesReachADecade();
  void zeroComesFirst();
  void integersAreWhole();
  void capacitiesAreThoseSold();
  void everyPositionOfEveryFieldIsAllowed();
};

void SliderScaleTest::fractionsAreHundredths() {
  const SliderScale scale = usualScale(*find_field("/workload/allreduce_overlap"), 0.3);
  QCOMPARE(scale.count(), 101);
  QCOMPARE(scale.value(0), 0.0);
  QCOMPARE(scale.value(7), 0.07);
  QCOMPARE(scale.value(100), 1.0);
  QCOMPARE(scale.position(0.3), 30);
  // More than 0, up to 1.
  const SliderScale positive = usualScale(*find_field("/workload/mfu"), 0.4);
  QCOMPARE(positive.count(), 100);
  QCOMPARE(positive.value(0), 0.01);
}

void SliderScaleTest::quantitiesReachADecade() {
  const SliderScale scale = usualScale(*find_field("/cluster/nic_bandwidth"), 25e9);
  QCOMPARE(scale.value(1), 2.5e9);  // after 0
  QCOMPARE(scale.value(scale.count() - 1), 2.5e11);
  QCOMPARE(scale.value(scale.position(25e9)), 25e9);
  QCOMPARE(scale.value(scale.position(25e9) + 1), 26e9);
  // 90 steps a decade over two decades, both ends and 0.
  QCOMPARE(scale.count(), 2 * 90 + 2);
}

void SliderScaleTest::zeroComesFirst() {
  const SliderScale scale = usualScale(*find_field("/storage/read_bandwidth"), 0.0);
  QCOMPARE(scale.value(0), 0.0);
  QVERIFY(scale.value(1) > 0.0);
  QCOMPARE(scale.position(0.0), 0);
}

void SliderScaleTest::integersAreWhole() {
  const SliderScale nodes = usualScale(*find_field("/cluster/nodes"), 4.0);
  QCOMPARE(nodes.value(0), 1.0);
  QCOMPARE(nodes.value(3), 4.0);
  QCOMPARE(nodes.value(nodes.count() - 1), 40.0);
  QCOMPARE(usualScale(*find_field("/cluster/gpus_per_node"), 8.0).count(), 64);
}

// Parallelstore: multiples of 4 TiB from 12 to 100.
void SliderScaleTest::capacitiesAreThoseSold() {
  Scenario scenario;
  scenario.storage.tier = "parallelstore";
  const auto scale = soldSizes(*find_field("/storage/capacity"), scenario, shippedCatalogue());
  QVERIFY(scale.has_value());
  QCOMPARE(scale->count(), 23);  // (100 - 12) / 4 + 1
  QCOMPARE(scale->value(0), 12.0 * 1099511627776.0);
  QCOMPARE(scale->position(15.0 * 1099511627776.0), 1);
  QVERIFY(!soldSizes(*find_field("/origin/capacity"), scenario, shippedCatalogue()));
}

void SliderScaleTest::everyPositionOfEveryFieldIsAllowed() {
  for (const Field& field : field_table()) {
    if (!FieldSlider::suits(field)) continue;
    for (const double present : {0.0, 1.0, 7.3e-5, 123.4, 5e9, field.range.max}) {
      if (present > field.range.max || present < field.range.min ||
          (present == field.range.min && field.range.min_excluded))
        continue;
      const SliderScale scale = usualScale(field, field.kind == FieldKind::kInteger ? std::floor(present) : present);
      QVERIFY2(scale.count() >= 2, field.pointer.c_str());
      for (int i = 0; i < scale.count(); ++i) {
        Findings findings;
        FieldValue value = scale.value(i);
        if (field.kind == FieldKind::kInteger) value = static_cast<std::int64_t>(scale.value(i));
        if (field.kind == FieldKind::kDistribution) value = Distribution::constant(scale.value(i));
        const std::string text = value_text(field, value);
        QVERIFY2(value_from_text(field, text, "", findings).has_value(), (field.pointer + "=" + text).c_str());
        QVERIFY(i == 0 || scale.value(i) > scale.value(i - 1));
        QCOMPARE(scale.position(scale.value(i)), i);
      }
    }
  }
}

}  // namespace stallcast::gui

STALLCAST_GUI_TEST(SliderScaleTest);
#include "slider_scale_test.moc"
