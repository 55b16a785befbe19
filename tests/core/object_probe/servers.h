// Servers that tests start on the loopback interface and stop whatever happens.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stallcast::testing {

// A folder that is removed at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A child process in a group of its own; the group is killed at the end, and by the kernel if this process dies.
class ServerProcess {
 public:
  // Starts `command`, found in PATH, with its output in a file of `folder`.
  ServerProcess(const std::vector<std::string>& command, const std::filesystem::path& folder);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // The number after `words` in the output; nothing when it does not come in 20 s or the process ends.
  std::optional<int> number_after(const std::string& words) const;
  // Does somebody listen at the port within 20 s?
  bool listens(int port) const;
  std::string output() const;

 private:
  bool runs() const;
  pid_t pid_ = -1;
  std::filesystem::path output_;
};

int free_port();
// Is a program of this name in PATH or in the folders of system programs?
std::optional<std::string> program(const std::string& name);
// Exit status of a command; its output goes nowhere.
int run_quietly(const std::vector<std::string>& command);

// Variables of the environment for the duration of a test. All that find_s3_settings and HttpPool read are unset first,
// and HOME is an empty folder.
class CleanEnvironment {
 public:
  CleanEnvironment();
  ~CleanEnvironment();
  CleanEnvironment(const CleanEnvironment&) = delete;
  CleanEnvironment& operator=(const CleanEnvironment&) = delete;
  void set(const std::string& name, const std::string& value);
  void unset(const std::string& name);
  const ScratchFolder& home() const { return home_; }

 private:
  void remember(const std::string& name);
  ScratchFolder home_;
  std::map<std::string, std::optional<std::string>> before_;
};

}  // namespace stallcast::testing
