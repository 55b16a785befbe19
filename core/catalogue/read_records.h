// What each kind of record holds: the one list of its facts, by the names that files use.
#pragma once

#include "core/catalogue/records/record_reader.h"

namespace stallcast {

void read_record(RecordReader& in, GpuRecord& gpu);
void read_record(RecordReader& in, CpuRecord& cpu);
void read_record(RecordReader& in, InstanceRecord& instance);
void read_record(RecordReader& in, TierRecord& tier);
void read_record(RecordReader& in, WorkloadRecord& workload);
void read_record(RecordReader& in, LoaderRecord& loader);
void read_record(RecordReader& in, FormatRecord& format);
void read_record(RecordReader& in, CheckpointerRecord& checkpointer);
void read_record(RecordReader& in, CollectiveRecord& collective);

}  // namespace stallcast
