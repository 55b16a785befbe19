// A /proc of files, for tests.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace stallcast {

class FakeProc {
 public:
  FakeProc() {
    static int number = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("stallcast_proc_" + std::to_string(::getpid()) + "_" + std::to_string(number++));
    std::filesystem::create_directories(folder_);
  }
  ~FakeProc() { std::filesystem::remove_all(folder_); }
  FakeProc(const FakeProc&) = delete;
  FakeProc& operator=(const FakeProc&) = delete;

  const std::filesystem::path& path() const { return folder_; }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }

  // `command` has its words parted by NUL. CPU time in ticks.
  void process(int pid, int parent, const std::string& name, const std::string& command, int cpu_ticks = 0,
               char state = 'S') const {
    const std::string at = std::to_string(pid) + "/";
    write(at + "stat", std::to_string(pid) + " (" + name + ") " + state + " " + std::to_string(parent) +
                           " 0 0 0 0 0 0 0 0 0 " + std::to_string(cpu_ticks) + " 0 0 0 20 0 1 0 77 0 0\n");
    write(at + "cmdline", command);
    write(at + "io", "rchar: 0\nwchar: 0\nsyscr: 0\nsyscw: 0\nread_bytes: 0\n");
    write(at + "status", "NSpid:\t" + std::to_string(pid) + "\nCpus_allowed_list:\t0\n");
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace stallcast
