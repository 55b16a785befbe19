// The stages of one checkpoint as software goes through them: what saving, its stop and the restore are made of.
//
//   plan, gather        who writes what is agreed on; a lone writer collects the parts of the others
//   make                each writer turns its part into the bytes of files, on a core of its node
//   write               the bytes go to storage: while they are made, afterwards, or when nobody waits any more
//   files, commit       files are created, closed and synced; rank 0 writes what makes the checkpoint valid
//
// checkpoint.write_path says how making and writing follow each other:
//   direct      bytes go to storage while they are made (object stores and network file systems in streams)
//   whole       a writer makes all of its bytes in memory, then sends them
//   page_cache  a writer copies what it makes to the page cache of its node; nobody waits for the device, unless more
//               than the kernel lets wait is not written yet
//   synced      the same, and at the end the writer waits until all is on the device (fsync)
#pragma once

#include "core/scenario/scenario.h"

namespace stallcast {

// Of the writers of one checkpoint to storage. `beside` + `after` + `behind` = 1: the parts of the bytes that storage
// takes while they are made (and the writer waits for both), after they were made, and beside what comes next.
struct WriteStages {
  double before_s = 0.0;         // plan and gather
  double make_s_per_byte = 0.0;  // of a writer that nothing else holds up; 0 where it is the limit of its rate instead
  double beside = 0.0;
  double after = 1.0;
  double behind = 0.0;
  double files_s = 0.0;   // of each writer, when its bytes are written
  double commit_s = 0.0;  // when all writers are done
};

// **Model** w writers of a node on c cores each compute at the rate min(1, c / w) of one that is alone. A byte is made
// in 1 / serialize_bandwidth + 1 / buffer_bandwidth. The kernel starts to write at 10 % of the memory that is free of
// programs, and holds writers up from 15 % on: beside = 1 - 0.10 free / node (synced), 1 - 0.15 free / node
// (page_cache), at least 0, of what the fullest node writes.
// **Range** `after` = 1 and no times where first_level is not storage or to_storage is false: those are copies of bytes
// that are made already; only the plan comes before.
// **Source** Linux, Documentation/admin-guide/sysctl/vm.rst (dirty_background_ratio 10, dirty_ratio 20) and
// mm/page-writeback.c (writers run free up to the mean of the two).
// **Checked by** tests/core/run/checkpoint_software_test.cpp; stallcast validate on measured saves
WriteStages write_stages(const Scenario& scenario);

// How much longer the slowest of n ranks takes than one that is as fast as stated; 1 of one rank.
// **Model** speeds are lognormal with the standard deviation `spread` of their logarithm: exp(spread * z), z the
// expected largest of n standard normal values, Phi^-1((n - 0.375) / (n + 0.25)).
// **Source** Blom 1958, Statistical Estimates and Transformed Beta-Variables (the largest of n)
double slowest_of(double ranks, double spread);

// That of a checkpoint's writers, by checkpoint.writer_spread. 1 where the writers of a node share fewer cores than
// they are: then those that are done leave theirs to the slow ones.
double slowest_writer(const Scenario& scenario);

// The rate at which the slowest writer, or reader, at most moves a checkpoint to or from storage: its streams together,
// and its software where that works while bytes move. A reader of write_path `whole` has all of a file in memory before
// it works on it: the times of both add up. 0 = without limit.
BytesPerSecond writer_rate(const Scenario& scenario);
BytesPerSecond reader_rate(const Scenario& scenario);

}  // namespace stallcast
