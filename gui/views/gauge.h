// One figure, large: its value, its interval, how far along its scale it is, and what changed.
#pragma once

#include <QFrame>
#include <QString>
#include <optional>

namespace stallcast::gui {

// What a change is for the reader; kUnclear where both intervals hold it.
enum class ChangeKind { kNone, kBetter, kWorse, kUnclear };

struct GaugeState {
  QString caption;  // "" = that of the gauge
  QString value = QStringLiteral("–");
  QString interval;             // "78.3 to 78.9 %"; "" without one
  QString stage;                // "simulated"
  bool outdated = false;        // of the scenario before: drawn fainter
  std::optional<double> share;  // of a bar from 0 to 1, with its interval and a mark
  double share_low = 0.0, share_high = 0.0;
  double range_low = 0.0, range_high = 0.0;  // a paler band, where they differ: what assumed inputs leave open
  QString range_text;                        // "30 to 100 % with what you did not give"
  std::optional<double> mark;                // on the bar: the bound
  QString mark_text;                         // "bound 82.1 %"
  ChangeKind change = ChangeKind::kNone;
  QString change_text;  // "+2.1 points"
  bool operator==(const GaugeState&) const = default;
};

// Reached with Tab; Return, Space or a click emits picked().
class Gauge : public QFrame {
  Q_OBJECT
 public:
  Gauge(const QString& name, QString caption, const QString& help, QWidget* parent = nullptr);

  void setState(const GaugeState& state);
  const GaugeState& state() const { return state_; }
  void setHighlighted(bool highlighted);
  bool isHighlighted() const { return highlighted_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void picked();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  QFont valueFont() const;
  QFont smallFont() const;
  int margin() const;
  int smallLines() const;
  QString besideText(int room) const;
  void paintBar(QPainter& painter, const QRectF& room) const;
  void paintChange(QPainter& painter, const QRect& room) const;

  QString shownCaption() const;

  QString caption_;
  GaugeState state_;
  bool highlighted_ = false;
};

// "▲ +2.1 points, better than the baseline": sign, arrow and word beside the colour.
QString changeText(const GaugeState& state);

}  // namespace stallcast::gui
