// What colours and marks mean, in as many lines as it takes.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <vector>

namespace stallcast::gui {

struct LegendEntry {
  enum class Mark { kFill, kHatched, kTriangle, kTick };
  QString text;
  QColor colour;
  Mark mark = Mark::kFill;
};

class Legend : public QWidget {
  Q_OBJECT
 public:
  explicit Legend(QWidget* parent = nullptr);
  void setEntries(std::vector<LegendEntry> entries);

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  // Where each entry stands within `width`, and the height of all.
  std::vector<QRect> places(int width, int* height) const;

  std::vector<LegendEntry> entries_;
};

}  // namespace stallcast::gui
