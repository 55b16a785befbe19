// The program run as a process, with faults from inject.cpp.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace stallcast::faults {

// What goes wrong: see inject.cpp, whose environment this is.
struct Fault {
  std::string calls;
  int at = 0;  // the first call that fails, from 1 on; 0 = none
  int error = 0;
  bool shorten = false;  // half of the bytes instead of an error
  int signal = 0;        // the process gets it instead of an error
  long count = 1;        // calls that fail one after the other
};

struct Ended {
  int code = -1;   // exit code, -1 when a signal ended it
  int signal = 0;  // that ended it; SIGALRM when it did not end by itself in time
  std::string out, err;
  std::vector<std::string> met;  // faults that came up: the call and the file
};

struct Invocation {
  std::vector<std::string> words;  // after the program's name
  std::filesystem::path folder;    // where it runs; faults hit files in it
  Fault fault = {};
  std::map<std::string, std::string> environment = {};  // added to this process's
  // A device or a file, "closed", or "no reader" for a pipe that nobody reads; "" = kept in Ended::out.
  std::string out_to = {};
  long address_space = 0;  // most bytes of it; 0 = no limit
};

// Runs it to its end, for a minute at most.
Ended run_program(const Invocation& invocation);

// Starts it and returns; end_of waits. The output is in files of `aside`, a folder of the caller's.
struct Started {
  int pid = 0;
  std::filesystem::path aside;
};
Started start_program(const Invocation& invocation, const std::filesystem::path& aside);
Ended end_of(const Started& started);

bool has_ended(const Started& started);
// Waits, a moment at a time, until `condition` holds or the program has ended.
void wait_until(const Started& started, const std::function<bool()>& condition);
// Waits until signals do not end the program any more: it has blocked SIGTERM, which one of its threads waits for.
void wait_until_it_watches_for_signals(const Started& started);

std::string content_of(const std::filesystem::path& file);

// A folder of its own, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace stallcast::faults
