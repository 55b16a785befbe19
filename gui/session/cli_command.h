// A document as a command line with the same result.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "gui/session/document.h"

namespace stallcast::gui {

// "stallcast simulate FILE --set PATH=VALUE ...", or another command with options of its own at the end, for a POSIX
// shell: its JSON result equals the document's final answer, wall_s apart. Where the file on disk gives what the
// document does not any more, and where there is no file, the scenario is in the command: as a here-document on
// standard input.
// **Range** hasCliCommand()
QString cliCommand(const Document& document, const std::string& command = "simulate",
                   const std::vector<std::string>& options = {});

// False where the scenario would have to be in the command and names jobs beside it: their files are looked for beside
// its own. Saved, it has one.
bool hasCliCommand(const Document& document);

}  // namespace stallcast::gui
