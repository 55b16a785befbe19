// One window's work: the document, its live answer, what is pinned and what is selected. Views see this and nothing
// else.
#pragma once

#include <QObject>
#include <QStringList>
#include <memory>
#include <optional>

#include "core/catalogue/catalogue.h"
#include "gui/session/answer.h"
#include "gui/session/background.h"
#include "gui/session/document.h"
#include "gui/session/selection.h"

namespace stallcast::gui {

class LiveAnswer;

class Session : public QObject {
  Q_OBJECT
 public:
  explicit Session(Catalogue catalogue, QObject* parent = nullptr);
  ~Session() override;

  const Catalogue& catalogue() const { return catalogue_; }
  Document& document() { return document_; }
  Selection& selection() { return selection_; }
  Background& background() { return background_; }

  // Nothing before the first answer; the last good one while the document has errors.
  const std::optional<Answer>& answer() const { return answer_; }
  // The newest answer that was simulated, with its evaluation: while the next one is estimated, the one before it.
  const std::optional<Answer>& simulated() const { return simulated_; }
  // True while answer() is not yet the final one of the document as it stands.
  bool isConverging() const;
  const LiveProgress& progress() const;
  void stopSimulating();  // until the next change
  void simulateAgain();

  // What changes are shown against.
  const std::optional<Answer>& baseline() const { return baseline_; }
  void pinBaseline();  // the present answer; what its document's later answers say takes its place
  // Another scenario, simulated in the background; nothing where it has an error.
  void pinBaseline(std::shared_ptr<const ScenarioFile> file);
  void unpinBaseline();

  // Fields, by their titles, whose values are wrong as they stand: no answer has them.
  const QStringList& mistakes() const { return mistakes_; }
  void setMistakes(const QStringList& fields);
  void askFor(const QString& pointer) { emit fieldAsked(pointer); }

 signals:
  void answerChanged();
  void mistakesChanged();
  void fieldAsked(const QString& pointer);  // a person is to fill it in
  void baselineChanged();
  void progressChanged();  // or isConverging()

 private:
  void take(const Answer& answer);

  const Catalogue catalogue_;
  Document document_;
  Selection selection_;
  Background background_;
  std::optional<Answer> answer_, simulated_, baseline_;
  QStringList mistakes_;
  std::unique_ptr<LiveAnswer> live_;
};

}  // namespace stallcast::gui
