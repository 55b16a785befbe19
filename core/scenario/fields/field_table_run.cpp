// Rows of the field table for what is not on the way of the data.
#include "core/scenario/fields/field_rows.h"

namespace stallcast::field_rows {

void add_model(std::vector<Field>& t) {
  using M = ModelSpec;
  constexpr auto in = &Scenario::model;
  t.push_back(number<in, &M::parameters>("/model/parameters", Dimension::kNone, {0.0, 1e15},
                                         "Parameters of the model; 0 = counted from its layers and sizes."));
  t.push_back(integer<in, &M::layers>("/model/layers", 0, 1e6, "Transformer layers; 0 = not stated."));
  t.push_back(integer<in, &M::hidden_size>("/model/hidden_size", 0, 1e7, "Width of a layer; 0 = not stated."));
  t.push_back(integer<in, &M::ffn_hidden_size>("/model/ffn_hidden_size", 0, 1e8,
                                               "Width of its gated feed-forward part; 0 = not stated."));
  t.push_back(integer<in, &M::vocab_size>("/model/vocab_size", 0, 1e9, "Tokens it knows; 0 = not stated."));
  t.push_back(integer<in, &M::attention_heads>("/model/attention_heads", 0, 1e5, "Heads of queries; 0 = not stated."));
  t.push_back(integer<in, &M::kv_heads>("/model/kv_heads", 0, 1e5,
                                        "Heads of keys and values; 0 = as many as attention_heads."));
  t.push_back(choice<in, &M::precision>("/model/precision", {"fp32", "bf16", "fp16", "fp8"},
                                        "Of the weights that a checkpoint holds."));
  t.push_back(choice<in, &M::optimizer>("/model/optimizer", {"none", "sgd_momentum", "adam"},
                                        "Whose state a checkpoint holds."));
  t.push_back(number<in, &M::optimizer_bytes_per_parameter>(
      "/model/optimizer_bytes_per_parameter", Dimension::kNone, {0.0, 1000.0},
      "State of the optimizer; 0 = its moments in FP32, and FP32 weights where the precision is lower."));
  t.push_back(integer<in, &M::tensor_parallel>("/model/tensor_parallel", 1, 100000, "Ranks that share each layer."));
  t.push_back(integer<in, &M::pipeline_parallel>("/model/pipeline_parallel", 1, 100000,
                                                 "Groups of ranks that share out the layers."));
  t.push_back(
      integer<in, &M::zero_stage>("/model/zero_stage", 0, 3,
                                  "What data-parallel ranks share out: nothing, optimizer state, gradients too, "
                                  "weights too."));
  t.push_back(integer<in, &M::shard_ranks>(
      "/model/shard_ranks", 0, 1000000,
      "Data-parallel ranks that share it among themselves (hybrid sharding: those of a node); 0 = all of them."));
}

void add_checkpoint(std::vector<Field>& t) {
  using C = CheckpointSpec;
  constexpr auto in = &Scenario::checkpoint;
  t.push_back(choice<in, &C::mode>("/checkpoint/mode", {"none", "sync", "async"},
                                   "No checkpoints, training stops while one is written, or only while it is copied."));
  t.push_back(choice<in, &C::cadence>("/checkpoint/cadence", {"steps", "time", "epochs", "optimal", "continuous"},
                                      "What sets the interval between checkpoints; optimal takes the one that costs "
                                      "least time, continuous begins the next when the last is on storage."));
  t.push_back(integer<in, &C::interval_steps>("/checkpoint/interval_steps", 0, 1e12,
                                              "Steps from one checkpoint to the next, cadence steps; 0 = never."));
  t.push_back(quantity<in, &C::interval>("/checkpoint/interval", kTenYears,
                                         "Training time from one checkpoint to the next, cadence time."));
  t.push_back(integer<in, &C::interval_epochs>("/checkpoint/interval_epochs", 1, 1e9,
                                               "Epochs from one checkpoint to the next, cadence epochs."));
  t.push_back(quantity<in, &C::shortest_interval>(
      "/checkpoint/shortest_interval", kTenYears,
      "Cadence optimal takes none shorter between checkpoints on storage; 0 = as short as saves time. DeepSeek "
      "saves every five minutes (Fire-Flyer AI-HPC, arXiv 2408.14158)."));
  t.push_back(quantity<in, &C::size>("/checkpoint/size", kMostSampleBytes,
                                     "One checkpoint, of all its writers together; 0 = from size_per_writer, or else "
                                     "from the model and its parallelism."));
  t.push_back(quantity<in, &C::size_per_writer>("/checkpoint/size_per_writer", kMostSampleBytes,
                                                "Instead of size: what each writer writes; 0 = not stated."));
  t.push_back(
      choice<in, &C::writers>("/checkpoint/writers", {"rank0", "all"},
                              "Who writes: rank 0, or every rank its part. When not given, as the software does."));
  t.push_back(
      text<in, &C::software>("/checkpoint/software",
                             "Catalogue record of the software that writes. When not given: in_memory for first "
                             "level peer_memory, torch_save where writers says rank0, else the workload's, "
                             "else torch_dcp where writers says all or the model is split over ranks, else "
                             "torch_save."));
  t.push_back(choice<in, &C::replica_saving>(
      "/checkpoint/replica_saving", {"first", "parallel", "parallel_after_copy"},
      "Who writes what all data-parallel replicas hold, writers all: the first replica (first), or each of them an "
      "equal part (parallel). parallel_after_copy is parallel, but an async checkpoint first copies all that a rank "
      "holds to "
      "host memory."));
  t.push_back(choice<in, &C::write_path>(
      "/checkpoint/write_path", {"direct", "whole", "page_cache", "synced"},
      "How a writer's bytes come to storage: while they are made; all of them made in memory first; copied to the page "
      "cache, whose device nobody waits for; or that and an fsync."));
  t.push_back(quantity<in, &C::serialize_bandwidth>(
      "/checkpoint/serialize_bandwidth", kMostBytesPerSecond,
      "At what rate one writer turns its part into the bytes of a file; 0 = without limit."));
  t.push_back(quantity<in, &C::buffer_bandwidth>(
      "/checkpoint/buffer_bandwidth", kMostBytesPerSecond,
      "At what rate one writer then copies them to the page cache, write_path page_cache and synced; 0 = in no time."));
  t.push_back(quantity<in, &C::load_bandwidth>("/checkpoint/load_bandwidth", kMostBytesPerSecond,
                                               "At what rate one reader turns its bytes back; 0 = without limit."));
  t.push_back(quantity<in, &C::plan_time>("/checkpoint/plan_time", kTenYears,
                                          "Who writes what is agreed on before anything is written."));
  t.push_back(quantity<in, &C::gather_bandwidth>(
      "/checkpoint/gather_bandwidth", kMostBytesPerSecond,
      "At what rate rank 0 collects the parts of the other ranks before it writes, writers rank0; 0 = it has them."));
  t.push_back(integer<in, &C::files_per_writer>("/checkpoint/files_per_writer", 1, 1e9, "Files that a writer writes."));
  t.push_back(quantity<in, &C::file_time>("/checkpoint/file_time", kTenYears,
                                          "Of each file beside its bytes: to create, close and sync it."));
  t.push_back(quantity<in, &C::commit_time>("/checkpoint/commit_time", kTenYears,
                                            "When all are written, until rank 0 has made the checkpoint valid."));
  t.push_back(number<in, &C::writer_spread>("/checkpoint/writer_spread", Dimension::kNone, {0.0, 2.0},
                                            "How much the ranks of a job differ in speed when they write their parts "
                                            "of a checkpoint, copy them to host memory or read them "
                                            "back: the standard deviation of the logarithm of their speed. The "
                                            "slowest rank ends each of these. 0 = all are equally fast."));
  t.push_back(integer<in, &C::streams>(
      "/checkpoint/streams", 1, 10000,
      "Parts that one writer or reader moves at once, each at the rate of a stream of the storage."));
  t.push_back(integer<in, &C::read_streams>("/checkpoint/read_streams", 0, 10000,
                                            "Concurrent connections of each reader; 0 = as many as streams."));
  t.push_back(quantity<in, &C::snapshot_time>(
      "/checkpoint/snapshot_time", kTenYears,
      "The part of an async checkpoint that stops training; when not given, its copy from the GPUs to host memory."));
  t.push_back(choice<in, &C::when_busy>("/checkpoint/when_busy", {"wait", "skip"},
                                        "When one is due and the last is still being written."));
  t.push_back(choice<in, &C::first_level>(
      "/checkpoint/first_level", {"storage", "local_nvme", "peer_memory"},
      "Where every checkpoint is written first: the storage, NVMe of the machine, or memory of another machine."));
  t.push_back(integer<in, &C::storage_every>("/checkpoint/storage_every", 1, 1e9,
                                             "Each n-th goes on from the first level to storage, in the background."));
  t.push_back(integer<in, &C::export_every>("/checkpoint/export_every", 0, 1e9,
                                            "Each n-th of those on storage is copied to the origin; 0 = none."));
  t.push_back(quantity<in, &C::export_bandwidth>("/checkpoint/export_bandwidth", kMostBytesPerSecond,
                                                 "Ceiling of that copy; 0 = what storage and origin can do."));
  t.push_back(choice<in, &C::restore_readers>(
      "/checkpoint/restore_readers", {"all", "one_replica"},
      "After a failure every rank reads its state, or one data-parallel replica does and passes it on."));
  t.push_back(number<in, &C::restore_efficiency>(
      "/checkpoint/restore_efficiency", Dimension::kFraction, {0.0, 1.0, true},
      "Part of the read bandwidth that is left when all machines restore at once (incast)."));
  t.push_back(quantity<in, &C::write_bandwidth>("/checkpoint/write_bandwidth", kMostBytesPerSecond,
                                                "Rate per writer, when not written to the storage tier."));
  t.push_back(
      boolean<in, &C::to_storage>("/checkpoint/to_storage", "Write through the storage tier, contending with reads."));
}

void add_failures(std::vector<Field>& t) {
  using F = FailureSpec;
  constexpr auto in = &Scenario::failures;
  t.push_back(quantity<in, &F::mtti>(
      "/failures/mtti", kTenYears, "Mean time between failures that interrupt the job; 0 = from per_1000_node_days."));
  t.push_back(number<in, &F::per_1000_node_days>("/failures/per_1000_node_days", Dimension::kNone, {0.0, 1e6},
                                                 "Failures that interrupt the job, per 1000 nodes and day; 0 = none."));
  t.push_back(choice<in, &F::law>("/failures/law", {"exponential", "weibull"},
                                  "Law of the times between failures of the job."));
  t.push_back(number<in, &F::weibull_shape>("/failures/weibull_shape", Dimension::kNone, {0.2, 10.0},
                                            "Shape of law weibull: below 1, failures come in clusters."));
  t.push_back(integer<in, &F::nodes_per_failure>("/failures/nodes_per_failure", 1, 100000,
                                                 "Machines that one failure takes out."));
  t.push_back(number<in, &F::node_loss_fraction>(
      "/failures/node_loss_fraction", Dimension::kFraction, {0.0, 1.0},
      "Part of the failures after which machines are replaced, with what their memory and disks held; after the others "
      "the same machines go on."));
  t.push_back(quantity<in, &F::outage_mtti>("/failures/outage_mtti", kTenYears,
                                            "Mean time between outages of many machines at once; 0 = none."));
  t.push_back(integer<in, &F::outage_nodes>("/failures/outage_nodes", 1, 100000, "Machines that an outage takes."));
  t.push_back(quantity<in, &F::outage_time>("/failures/outage_time", kTenYears, "Until they are back."));
  t.push_back(quantity<in, &F::detection_time>("/failures/detection_time", kTenYears,
                                               "From a failure until something is done about it."));
  t.push_back(integer<in, &F::spares>("/failures/spares", 0, 100000, "Machines kept ready, and paid for."));
  t.push_back(quantity<in, &F::swap_time>("/failures/swap_time", kTenYears, "Until a spare has taken over."));
  t.push_back(quantity<in, &F::replacement_time>("/failures/replacement_time", kTenYears,
                                                 "Until another machine is there when no spare is left."));
  t.push_back(quantity<in, &F::repair_time>("/failures/repair_time", kTenYears,
                                            "Until a failed machine is a spare again; 0 = at once."));
  t.push_back(quantity<in, &F::restart_time>(
      "/failures/restart_time", kTenYears,
      "Processes, communicators and compilation: from all machines there until the state can be read."));
  t.push_back(quantity<in, &F::preemption_mtti>("/failures/preemption_mtti", kTenYears,
                                                "Mean time between preemptions of spot machines; 0 = none."));
  t.push_back(quantity<in, &F::preemption_notice>("/failures/preemption_notice", kTenYears,
                                                  "From the notice to the preemption: time for a last checkpoint."));
  t.push_back(quantity<in, &F::preemption_wait>("/failures/preemption_wait", kTenYears,
                                                "Until there are machines again, not paid for."));
  t.push_back(quantity<in, &F::maintenance_interval>("/failures/maintenance_interval", kTenYears,
                                                     "From one planned stop to the next; 0 = none."));
  t.push_back(quantity<in, &F::maintenance_time>("/failures/maintenance_time", kTenYears,
                                                 "Of a planned stop, which follows a checkpoint."));
}

void add_serving(std::vector<Field>& t) {
  using V = ServingSpec;
  constexpr auto in = &Scenario::serving;
  t.push_back(quantity<in, &V::weights>("/serving/weights", kMostSampleBytes,
                                        "Bytes of the model that each machine loads; job serving."));
  t.push_back(
      integer<in, &V::streams>("/serving/streams", 1, 10000,
                               "Concurrent reads of a machine; when not given, those of the software for each GPU."));
  t.push_back(quantity<in, &V::request_size>("/serving/request_size", kMostSampleBytes,
                                             "What a stream asks for at a time, and waits for; 0 = its whole part. "
                                             "Files that are read through the page cache: "
                                             "twice the kernel's read_ahead_kb."));
  t.push_back(text<in, &V::software>("/serving/software",
                                     "Catalogue record of the software that loads the weights; when not given, "
                                     "runai_streamer from an object store and safetensors from files."));
  t.push_back(quantity<in, &V::load_bandwidth>(
      "/serving/load_bandwidth", kMostBytesPerSecond,
      "From host memory into the GPUs of a machine, concurrent with reading; 0 = takes no time."));
  t.push_back(quantity<in, &V::start_spread>("/serving/start_spread", kTenYears,
                                             "Machines start at random within it; 0 = all at once."));
}

void add_cost(std::vector<Field>& t) {
  using C = CostSpec;
  constexpr auto in = &Scenario::cost;
  t.push_back(choice<in, &C::pricing>("/cost/pricing", {"on_demand", "spot", "reserved_1y", "reserved_3y"},
                                      "Which price of the machines applies."));
  t.push_back(quantity<in, &C::node_price>("/cost/node_price", 1e6, "Price of a machine; 0 = the catalogue's."));
  t.push_back(quantity<in, &C::gpu_hour_price>("/cost/gpu_hour_price", 1e6,
                                               "Price of one GPU with its part of the machine, as clusters are rented; "
                                               "0 = not stated. Instead of node_price."));
  t.push_back(quantity<in, &C::purchase_price>("/cost/purchase_price", 1e9,
                                               "What a machine costs that you own; 0 = not owned. Its hour then costs "
                                               "purchase_price / (lifetime * use_fraction), and its power."));
  t.push_back(quantity<in, &C::lifetime>("/cost/lifetime", kTenYears,
                                         "Time over which the price of an owned machine is written off."));
  t.push_back(number<in, &C::use_fraction>("/cost/use_fraction", Dimension::kFraction, {0.0, 1.0, true},
                                           "Share of its lifetime in which an owned machine runs jobs."));
  t.push_back(number<in, &C::power_kw>("/cost/power_kw", Dimension::kNone, {0.0, 1000.0},
                                       "Power that an owned machine draws while a job runs, in kW; 0 = not counted."));
  t.push_back(number<in, &C::electricity_usd_per_kwh>("/cost/electricity_usd_per_kwh", Dimension::kNone, {0.0, 100.0},
                                                      "Price of electricity for owned machines, in dollars per kWh."));
  t.push_back(number<in, &C::power_usage_effectiveness>(
      "/cost/power_usage_effectiveness", Dimension::kNone, {1.0, 10.0},
      "Power of the whole site over that of its machines (PUE), for owned machines."));
  t.push_back(number<in, &C::host_discount>("/cost/host_discount", Dimension::kFraction, {0.0, 1.0},
                                            "Off the price of the machines."));
  t.push_back(number<in, &C::storage_discount>("/cost/storage_discount", Dimension::kFraction, {0.0, 1.0},
                                               "Off the price of storage."));
  t.push_back(choice<in, &C::storage_lifetime>("/cost/storage_lifetime", {"job", "always"},
                                               "Provisioned storage exists for the job only, or is kept."));
  t.push_back(number<in, &C::runs_per_month>("/cost/runs_per_month", Dimension::kNone, {1e-3, 1e6},
                                             "Runs that share a month of storage that is kept."));
  t.push_back(integer<in, &C::kept_checkpoints>("/cost/kept_checkpoints", 0, 1e9,
                                                "Checkpoints stored when the job ends; 0 = the last one."));
  t.push_back(quantity<in, &C::checkpoint_retention>("/cost/checkpoint_retention", kTenYears,
                                                     "How long they are kept after the job."));
  t.push_back(
      quantity<in, &C::egress_internet>("/cost/egress_internet", kMostBytes, "Bytes that leave the cloud, per run."));
  t.push_back(quantity<in, &C::egress_cross_region>("/cost/egress_cross_region", kMostBytes,
                                                    "Bytes that go to another region, per run."));
  t.push_back(number<in, &C::cross_zone_fraction>("/cost/cross_zone_fraction", Dimension::kFraction, {0.0, 1.0},
                                                  "Part of the bytes read that cross a zone."));
  t.push_back(quantity<in, &C::reserved_time>("/cost/reserved_time", kTenYears,
                                              "Machines are paid for at least this long from the start of the job, "
                                              "used or not: a reservation; 0 = as long as the job runs."));
  t.push_back(number<in, &C::support_fraction>("/cost/support_fraction", Dimension::kFraction, {0.0, 1.0},
                                               "What the provider's support costs, as a share of its charges."));
  t.push_back(number<in, &C::tax_fraction>("/cost/tax_fraction", Dimension::kFraction, {0.0, 1.0},
                                           "Taxes, as a share of the provider's charges and its support."));
  t.push_back(quantity<in, &C::people_time>("/cost/people_time", kTenYears,
                                            "Time of people that the run takes: to set it up, watch it, clear up."));
  t.push_back(quantity<in, &C::people_price>("/cost/people_price", 1e6, "What an hour of their time costs."));
}

void add_run(std::vector<Field>& t) {
  using R = RunSpec;
  constexpr auto in = &Scenario::run;
  t.push_back(integer<in, &R::epochs>("/run/epochs", 1, 1e9, "Passes over the dataset."));
  t.push_back(integer<in, &R::steps_per_epoch>("/run/steps_per_epoch", 0, 1e12,
                                               "Steps per rank; 0 = samples / (batch_size * ranks)."));
  t.push_back(
      boolean<in, &R::whole_run>("/run/whole_run", "Simulate every step instead of stopping at the asked precision."));
  t.push_back(number<in, &R::precision>("/run/precision", Dimension::kFraction, {1e-6, 0.5},
                                        "Half-width of the 95 % interval of GPU utilization to reach, as a fraction."));
  t.push_back(integer<in, &R::seed>("/run/seed", 0, 9007199254740991.0,
                                    "Start of the random numbers: the same seed gives the same result."));
  t.push_back(integer<in, &R::max_steps>("/run/max_steps", 1, 1e7,
                                         "Simulated steps per rank before giving up on the precision."));
  t.push_back(integer<in, &R::replications>("/run/replications", 2, 1e6,
                                            "Whole runs that are simulated where interruptions are random."));
  t.push_back(quantity<in, &R::start>("/run/start", kTenYears, "When this job starts, of several on one storage."));
  t.push_back(text_list<in, &R::concurrent_jobs>(
      "/run/concurrent_jobs", "Scenario files of the jobs that run on this storage too, from this file's own folder."));
  t.push_back(
      text_list<&Scenario::run, &RunSpec::uncertain>("/run/uncertain",
                                                     "Inputs known to an interval only: \"storage.read_bandwidth "
                                                     "0.94..1.06\", 90 % interval as factors of the value."));
}

void add_plan(std::vector<Field>& t) {
  using P = PlanSpec;
  constexpr auto in = &Scenario::plan;
  t.push_back(text_list<in, &P::vary>(
      "/plan/vary", "What size, sweep and report vary where no --vary is given: \"storage.capacity=valid\"."));
  t.push_back(number<in, &P::min_utilization>("/plan/min_utilization", Dimension::kFraction, {0.0, 1.0},
                                              "GPU utilization that a choice must keep; 0 = none is asked for."));
  t.push_back(quantity<in, &P::deadline>("/plan/deadline", kTenYears, "Longest time to train of a choice; 0 = none."));
  t.push_back(quantity<in, &P::budget>("/plan/budget", 1e12, "Most dollars for the whole run of a choice; 0 = none."));
}

}  // namespace stallcast::field_rows
