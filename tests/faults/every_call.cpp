#include "tests/faults/every_call.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/faults/folder_state.h"
#include "tests/faults/subjects.h"

namespace stallcast::faults {
namespace {

namespace fs = std::filesystem;
using Outcome = FaultKind::Outcome;

constexpr const char* kOld = "old content\n";

std::vector<FaultKind> make_fault_kinds() {
  const std::string changes = "create,write,sync,truncate,mkdir,link,rename";
  const std::string all = "open,read,readdir,stat,mmap,lock,close," + changes;
  std::vector<FaultKind> kinds;
  const auto error = [&](const char* name, const std::string& calls, int number) {
    kinds.push_back({name, {.calls = calls, .error = number}, Outcome::kTrouble});
  };
  error("disk_full", changes, ENOSPC);
  error("device_error", all, EIO);
  error("read_only", "create,mkdir,link,rename", EROFS);
  error("no_descriptors", "open", EMFILE);
  error("no_memory", "open,mmap,mkdir,write,rename,link", ENOMEM);
  error("not_allowed", "open,mkdir,rename,link", EACCES);
  kinds.push_back(
      {"interrupted", {.calls = "open,read,write,sync,lock,truncate,close", .error = EINTR}, Outcome::kNothing});
  kinds.push_back({"short_counts", {.calls = "read,write", .shorten = true, .count = 3}, Outcome::kNothing});
  kinds.push_back({"killed", {.calls = "close,unlink," + changes, .signal = SIGKILL}, Outcome::kKilled});
  kinds.push_back({"terminated", {.calls = "open,close,unlink," + changes, .signal = SIGTERM}, Outcome::kStopped});
  return kinds;
}

const FaultKind& fault_kind(const std::string& name) {
  for (const FaultKind& kind : fault_kinds())
    if (kind.name == name) return kind;
  throw std::runtime_error("no fault " + name);
}

bool grows(const std::string& name) {
  return name.find("points-") != std::string::npos || name.find("journal") != std::string::npos;
}

// A folder in which a command fails, beside what it looks like when nothing goes wrong.
class Trial {
 public:
  Trial(const Subject& subject, const FaultKind& kind, bool over_old) : subject_(subject), kind_(kind) {
    words_ = subject.words;
    write_inputs(prepared_.path());
    for (const auto& [name, text] : subject_.before) std::ofstream(prepared_.path() / name) << text;
    for (const auto& words : subject_.first) EXPECT_EQ(run_program({words, prepared_.path()}).code, 0);
    const Folder folder;
    prepare(folder.path());
    inputs_ = state_of(folder.path());
    const Ended ended = run_program({words_, folder.path()});
    EXPECT_EQ(ended.code, 0) << ended.err;
    complete_ = state_of(folder.path());
    complete_out_ = without_times(ended.out);
    if (!over_old) return;
    for (const auto& [name, content] : complete_)
      if (!inputs_.contains(name) && !name.ends_with('/') && !grows(name)) old_.push_back(name);
    if (subject.words.front() == "emit" || subject.words.front() == "report") words_.emplace_back("--force");
  }

  // False when the fault did not come up: the command has no such call.
  bool fail(int at) {
    const Folder folder;
    prepare(folder.path());
    before_ = state_of(folder.path());
    Fault fault = kind_.fault;
    fault.at = at;
    const Ended ended = run_program({words_, folder.path(), fault});
    if (ended.met.empty()) return false;
    const testing::ScopedTrace trace(__FILE__, __LINE__, describe(at, ended));
    const FolderState after = state_of(folder.path());
    check_end(ended, after);
    check_nothing_is_broken(after, ended.met.front());
    if (kind_.outcome == Outcome::kNothing || !run_again_from_.insert(after).second) return true;
    const Ended again = run_program({words_again(), folder.path()});
    EXPECT_TRUE(again.code == 0 || has_complete_targets(after)) << "run again: " << again.err;
    if (again.code == 0) check_complete(state_of(folder.path()), "run again");
    return true;
  }

 private:
  void prepare(const fs::path& folder) const {
    fs::copy(prepared_.path(), folder, fs::copy_options::recursive);
    for (const std::string& name : old_) {
      fs::create_directories((folder / name).parent_path());
      std::ofstream(folder / name) << kOld;
    }
  }

  // A process that is killed may have put some of its files in their places, which these commands do not replace
  // unasked; with an error none is there.
  std::vector<std::string> words_again() const {
    std::vector<std::string> words = words_;
    const bool asks = words.front() == "emit" || words.front() == "report";
    if (asks && kind_.outcome != Outcome::kTrouble && words.back() != "--force") words.emplace_back("--force");
    return words;
  }

  std::string describe(int at, const Ended& ended) const {
    return subject_.name + ", " + kind_.name + " at call " + std::to_string(at) + ": " + ended.met.front() +
           "\nexit code " + std::to_string(ended.code) + ", signal " + std::to_string(ended.signal) + "\n" + ended.err;
  }

  void check_end(const Ended& ended, const FolderState& after) const {
    if (kind_.outcome == Outcome::kKilled) {
      EXPECT_EQ(ended.signal, SIGKILL);
      return;
    }
    EXPECT_EQ(ended.signal, 0);
    if (kind_.outcome == Outcome::kNothing) {
      EXPECT_EQ(ended.code, 0);
    }
    if (kind_.outcome == Outcome::kStopped && ended.code == 0) return;
    if (ended.code == 0) {
      check_complete(after, "after a fault that is no trouble");
      EXPECT_TRUE(!subject_.repeatable || without_times(ended.out) == complete_out_) << ended.out;
      return;
    }
    EXPECT_EQ(ended.code, 3);
    if (kind_.outcome == Outcome::kTrouble) check_message(ended);
  }

  // One line says what is the matter: the file and the reason.
  void check_message(const Ended& ended) const {
    const std::string reason = std::strerror(kind_.fault.error);
    std::size_t lines = 0;
    for (std::size_t at = ended.err.find(reason); at != std::string::npos; at = ended.err.find(reason, at + 1)) ++lines;
    EXPECT_EQ(lines, 1U);
    const std::size_t end = ended.err.find(reason);
    const std::size_t begin = end == std::string::npos || end == 0 ? 0 : ended.err.rfind('\n', end - 1) + 1;
    const std::string line = ended.err.substr(begin, ended.err.find('\n', begin) - begin);
    EXPECT_THAT(line, testing::StartsWith("stallcast: "));
    const auto is_named = [&](const auto& file) {
      std::string name = file.first;
      if (name.ends_with('/')) name.pop_back();
      return line.find(name) != std::string::npos;
    };
    EXPECT_TRUE(std::any_of(complete_.begin(), complete_.end(), is_named)) << "no file in: " << line;
  }

  bool is_whole(const std::string& name, const std::string& content) const {
    const auto found = complete_.find(name);
    if (found == complete_.end()) return false;
    if (grows(name)) return is_part(content, found->second);
    if (!subject_.repeatable && !inputs_.contains(name)) return nlohmann::json::accept(content);
    if (kind_.outcome == Outcome::kStopped && content.ends_with('\n')) return true;  // what it has by then
    return found->second == content;
  }

  // Lines of the whole, each whole; the last may be torn where the process was killed.
  bool is_part(const std::string& content, const std::string& whole) const {
    const std::size_t end = content.rfind('\n') + 1;
    if (end != content.size() && kind_.outcome != Outcome::kKilled) return false;
    for (std::size_t from = 0; from < end;) {
      const std::size_t next = content.find('\n', from) + 1;
      if (whole.find(content.substr(from, next - from)) == std::string::npos) return false;
      from = next;
    }
    return true;
  }

  // Killed in the one moment in which a whole new file stands beside an old one.
  bool is_about_to_replace(const std::string& name, const std::string& content, const std::string& met) const {
    if (kind_.outcome != Outcome::kKilled || !met.starts_with("rename ")) return false;
    if (!subject_.repeatable && nlohmann::json::accept(content)) return name.find(".stallcast-") != std::string::npos;
    const auto is_same = [&](const auto& file) { return file.second == content; };
    return name.find(".stallcast-") != std::string::npos && std::any_of(complete_.begin(), complete_.end(), is_same);
  }

  void check_nothing_is_broken(const FolderState& after, const std::string& met) const {
    for (const auto& [name, content] : before_) EXPECT_TRUE(after.contains(name)) << name << " is gone";
    for (const auto& [name, content] : after) {
      const auto was = before_.find(name);
      const bool untouched = was != before_.end() && was->second == content;
      if (is_about_to_replace(name, content, met)) continue;
      EXPECT_TRUE(untouched || is_whole(name, content)) << name << " is left behind, or half written";
    }
  }

  bool has_complete_targets(const FolderState& state) const {
    return std::all_of(complete_.begin(), complete_.end(), [&](const auto& file) {
      return state.contains(file.first) && is_whole(file.first, state.at(file.first));
    });
  }

  void check_complete(const FolderState& state, const char* when) const {
    for (const auto& [name, content] : complete_) {
      ASSERT_TRUE(state.contains(name)) << when << ": no " << name;
      const std::string& now = state.at(name);
      EXPECT_TRUE(is_whole(name, now) && (!grows(name) || now.size() == content.size())) << when << ": " << name;
    }
    const auto strange = std::count_if(state.begin(), state.end(), [&](const auto& file) {
      return !complete_.contains(file.first) && file.first.find(".stallcast-") == std::string::npos;
    });
    EXPECT_EQ(strange, 0) << when;
  }

  const Subject& subject_;
  const FaultKind& kind_;
  const Folder prepared_;  // what the command works on, to be copied
  std::vector<std::string> words_;
  FolderState inputs_;
  std::vector<std::string> old_;  // results of an earlier run
  FolderState before_, complete_;
  std::set<FolderState> run_again_from_;  // the same state gives the same
  std::string complete_out_;
};

}  // namespace

const std::vector<FaultKind>& fault_kinds() {
  static const std::vector<FaultKind> kinds = make_fault_kinds();
  return kinds;
}

std::string name_of(const testing::TestParamInfo<EveryCallParameters>& info) {
  return std::get<0>(info.param) + "_" + std::get<1>(info.param) + (std::get<2>(info.param) ? "_over_old_results" : "");
}

void fail_every_call(const EveryCallParameters& parameters) {
  constexpr int kMost = 2000;
  const auto& [name, kind, over_old] = parameters;
  Trial trial(subject(name), fault_kind(kind), over_old);
  if (testing::Test::HasFailure()) return;
  int at = 1;
  while (at < kMost && trial.fail(at)) ++at;
  EXPECT_LT(at, kMost);
  EXPECT_GT(at, 1) << "the fault never came up";
}

}  // namespace stallcast::faults
