// A document as a command line with the same result.
#pragma once

#include <QString>

#include "gui/session/document.h"

namespace stallcast::gui {

// "stallcast simulate FILE --set PATH=VALUE ...", for a POSIX shell: its JSON result equals the document's final
// answer, wall_s apart. Where the file on disk gives what the document does not any more, and where there is no file,
// the scenario is in the command: as a here-document on standard input.
// **Range** a document without jobs beside it, or with all of its file's values: names of jobs are relative to the
// file.
QString cliCommand(const Document& document);

}  // namespace stallcast::gui
