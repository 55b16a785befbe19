// Hosts that load a model to serve it: every one reads all of the weights, in streams of requests, and moves what has
// come into its GPUs meanwhile.
//
// A stream: open, then request after request: admitted, first byte, bytes. **Model** a stream moves
// size / (latency + size / rate) bytes/s, its rate being the fair one of the tier, the host's client and NIC, and the
// stream's own cap. Streams read W / streams bytes each. The host is ready when the last byte is read and loaded.
//
// Large loads are coarsened: m requests of a stream become one read with m times the latency. For a closed set of
// streams that wait (latency) and share (bandwidth) that is a change of the unit of time, so rates stay what they are;
// what changes is the grain, a part of 1 / reads of a stream. The first read of a stream is cut short at random, so
// that coarse streams are not in step.
// **Checked by** tests/core/model/serving_model_test.cpp, in closed form and against the uncoarsened model
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/engine/random_stream.h"
#include "core/engine/simulator.h"
#include "core/model/storage/shared_storage.h"
#include "core/result/serving_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

struct ServingOptions {
  double remaining = 1.0;      // of the weights: the rest has been read before
  double most_reads = 2e5;     // of all streams together, before requests are coarsened
  double fewest_reads = 16.0;  // of a stream, however coarse
  bool even_starts = false;    // hosts that stand for many start evenly over start_spread
  std::stop_token stop = {};   // when requested, the simulator stops soon after
};

// The least time in which all hosts can be ready, from each resource alone.
// **Model** max of W / (streams * stream), W / client, W / NIC, W / load, N W / tier, requests / read_iops, and a
// stream's requests one after the other: latency and bytes at its own cap
struct ServingBound {
  double time_s = 0.0;
  std::string resource;
};
ServingBound serving_bound(const Scenario& scenario);

class ServingModel {
 public:
  // Built before anything runs on `storage`, which outlives it.
  ServingModel(SharedStorage& storage, const Scenario& scenario, std::uint64_t seed,
               const ServingOptions& options = {});
  ServingModel(const ServingModel&) = delete;
  ServingModel& operator=(const ServingModel&) = delete;

  Simulator& simulator() { return *sim_; }

  // Starts the hosts at the present instant (plus their spread). `when_read` is called when the last byte is read.
  void start(std::function<void()> when_read);

  // Read so far; of reads under way half.
  double read_bytes() const { return read_bytes_ + 0.5 * under_way_bytes_; }
  // Times count from start(). Hosts that have not read everything are left out, and the result is not complete.
  ServingResult result() const;

 private:
  struct Host {
    double start_s = 0.0;
    double loaded_s = 0.0;  // until the GPUs have what was read
    double read_s = 0.0;    // last byte
    std::int64_t streams = 0;
    FlowNetwork::ClassId cls = 0;
  };
  struct StreamState {
    RandomStream latency, open, back_off;
    std::uint64_t draws = 0;
  };
  static Process read_stream(Simulator& sim, ServingModel& model, std::size_t host, std::size_t stream);
  Task<void> admit(StreamState& stream, double requests, std::size_t device);
  double latency_of(StreamState& stream, double requests) const;
  void spend(LostTime cause, SimTime since);
  void look_for_stop();
  void load(Host& host, double requests, double size, SimTime began);

  SharedStorage* storage_;
  Simulator* sim_;
  const Scenario* scenario_;
  double stream_bytes_;      // of one stream
  double request_bytes_;     // of one request
  std::int64_t coarse_ = 1;  // requests of one read
  bool limited_ = false;     // some cap applies
  SimTime began_ = 0;
  std::vector<Host> hosts_;
  std::vector<StreamState> streams_;  // [host][stream]
  std::int64_t reading_hosts_ = 0;
  std::stop_token stop_;
  std::uint64_t turns_ = 0;  // of loops that may go on for long
  double read_bytes_ = 0.0, under_way_bytes_ = 0.0, requests_ = 0.0, refused_ = 0.0;
  std::array<double, static_cast<std::size_t>(LostTime::kCount)> time_s_{};  // of all streams
  std::function<void()> when_read_;
};

}  // namespace stallcast
