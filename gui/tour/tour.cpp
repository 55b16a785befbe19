#include "gui/tour/tour.h"

#include <QDockWidget>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QStatusBar>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>

namespace stallcast::gui {
namespace {

// Docks and tabs that hide what is spoken of come to the front.
void bringForward(QWidget* widget) {
  for (QWidget* at = widget; at != nullptr; at = at->parentWidget())
    if (auto* const dock = qobject_cast<QDockWidget*>(at)) {
      dock->show();
      dock->raise();
    }
}

}  // namespace

Tour::Tour(QMainWindow& window, Session& session, std::vector<TourStep> steps)
    : QFrame(&window), window_(window), session_(session), steps_(std::move(steps)) {
  setObjectName(QStringLiteral("tour"));
  setAccessibleName(tr("Tour"));
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::ToolTipBase);
  setFocusPolicy(Qt::StrongFocus);
  title_ = new QLabel(this);
  title_->setObjectName(QStringLiteral("tourTitle"));
  QFont strong = font();
  strong.setBold(true);
  title_->setFont(strong);
  text_ = new QLabel(this);
  text_->setObjectName(QStringLiteral("tourText"));
  text_->setWordWrap(true);
  count_ = new QLabel(this);
  for (QLabel* label : {title_, text_, count_}) label->setForegroundRole(QPalette::ToolTipText);
  const auto button = [this](const QString& text, const char* name, void (Tour::*act)()) {
    auto* const made = new QPushButton(text, this);
    made->setObjectName(QString::fromUtf8(name));
    made->setAutoDefault(false);
    connect(made, &QPushButton::clicked, this, act);
    return made;
  };
  skip_ = button(tr("&Leave the tour"), "tourSkip", &Tour::leave);
  back_ = button(tr("&Back"), "tourBack", &Tour::back);
  next_ = button(tr("&Next"), "tourNext", &Tour::next);
  auto* const buttons = new QHBoxLayout;
  buttons->addWidget(skip_);
  buttons->addStretch(1);
  buttons->addWidget(count_);
  buttons->addWidget(back_);
  buttons->addWidget(next_);
  auto* const layout = new QVBoxLayout(this);
  layout->addWidget(title_);
  layout->addWidget(text_);
  layout->addLayout(buttons);
  frame_ = new QFrame(&window);
  frame_->setObjectName(QStringLiteral("tourFrame"));
  frame_->setAttribute(Qt::WA_TransparentForMouseEvents);
  frame_->setFrameShape(QFrame::Box);
  frame_->setLineWidth(3);
  QPalette marked = frame_->palette();
  marked.setColor(QPalette::WindowText, marked.color(QPalette::Highlight));
  frame_->setPalette(marked);
  window.installEventFilter(this);
  show(0);
  QFrame::show();
  raise();
  setFocus();
}

void Tour::show(int step) {
  step_ = std::clamp(step, 0, steps() - 1);
  const TourStep& now = steps_[static_cast<std::size_t>(step_)];
  title_->setText(now.title);
  text_->setText(now.text);
  setAccessibleDescription(QStringLiteral("%1. %2").arg(now.title, now.text));
  count_->setText(tr("%1 of %2").arg(step_ + 1).arg(steps()));
  back_->setEnabled(step_ > 0);
  next_->setText(step_ + 1 == steps() ? tr("&Done") : tr("&Next"));
  if (now.act) {
    now.act(session_);
    changed_to_ = session_.document().undoStack().index();
  }
  if (auto* const widget = window_.findChild<QWidget*>(now.widget)) bringForward(widget);
  place();
}

void Tour::next() { step_ + 1 == steps() ? leave() : show(step_ + 1); }

void Tour::back() {
  if (step_ > 0) show(step_ - 1);
}

void Tour::leave() {
  window_.removeEventFilter(this);
  frame_->hide();
  frame_->deleteLater();
  hide();
  deleteLater();
  // What the tour changed is no work of a person's: nobody is to be asked whether to save it.
  QUndoStack& steps = session_.document().undoStack();
  if (steps.index() == changed_to_) steps.setIndex(0);
  emit left();
}

// The card at the bottom of the window, and above what it speaks of where it would cover that.
void Tour::place() {
  const int width = std::min(window_.width() - 2 * fontMetrics().height(), fontMetrics().averageCharWidth() * 70);
  resize(width, layout()->heightForWidth(width));
  const QString& name = steps_[static_cast<std::size_t>(step_)].widget;
  QWidget* const widget = name.isEmpty() ? nullptr : window_.findChild<QWidget*>(name);
  const int margin = fontMetrics().height();
  int y = window_.height() - height() - 2 * margin;
  frame_->setVisible(widget != nullptr && widget->isVisible());
  if (frame_->isVisible()) {
    const QRect around(widget->mapTo(&window_, QPoint(0, 0)), widget->size());
    frame_->setGeometry(around.adjusted(-2, -2, 2, 2));
    frame_->raise();
    if (around.bottom() > y && around.top() > height() + 2 * margin) y = around.top() - height() - margin;
  }
  move((window_.width() - this->width()) / 2, std::max(0, y));
  raise();
}

void Tour::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Right:
      return next();
    case Qt::Key_Left:
      return back();
    case Qt::Key_Escape:
      return leave();
    default:
      QFrame::keyPressEvent(event);
  }
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &window_ && (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)) place();
  return QFrame::eventFilter(watched, event);
}

Tour* Tour::begin(QMainWindow& window, Session& session) {
  if (auto* const under_way = window.findChild<Tour*>()) under_way->leave();
  const QString path = headlineScenario(session.catalogue());
  if (path.isEmpty() || session.document().isModified()) return nullptr;
  try {
    if (session.document().open(path).has_errors()) return nullptr;
  } catch (const WorldError&) {
    return nullptr;
  }
  return new Tour(window, session, tourSteps());
}

QAction* tourAction(QMainWindow& window, Session& session) {
  auto* const action = new QAction(Tour::tr("&Tour of the headline scenario"), &window);
  action->setObjectName(QStringLiteral("tourAction"));
  QObject::connect(action, &QAction::triggered, &window, [&window, &session] {
    if (Tour::begin(window, session) == nullptr && session.document().isModified())
      window.statusBar()->showMessage(
          Tour::tr("The tour opens a scenario of its own: save or undo your changes first."), 15000);
  });
  return action;
}

}  // namespace stallcast::gui
