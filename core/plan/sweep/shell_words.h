// Words as a POSIX shell reads them back.
#pragma once

#include <string>
#include <vector>

namespace stallcast {

// `word` as it is where a shell takes nothing in it specially, else in single quotes.
std::string shell_word(const std::string& word);

// Words with spaces between.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace stallcast
