// Threads that send messages: batches of a worker, indices of a trainer.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "core/observe/proc/proc_file.h"
#include "core/observe/proc/proc_text.h"

namespace stallcast {

// A thread that sends messages and receives none: Python's QueueFeederThread.
struct Sender {
  int tid = 0;
  ProcFile io;
  ProcIo first;
};

// Those of the process whose folder of /proc this is. Its main thread is none of them.
std::vector<Sender> senders_of(const std::filesystem::path& folder);

// Of a trainer's senders the `count` that send to its workers: indices are small, and alike in size.
void keep_index_senders(std::vector<Sender>& all, std::size_t count);

}  // namespace stallcast
