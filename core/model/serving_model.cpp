#include "core/model/serving_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/scenario/data_path.h"

namespace stallcast {

namespace {

constexpr double kMostDraws = 8.0;  // of latency, for one coarse read

// What one stream reads, and in requests of which size.
double stream_bytes_of(const Scenario& s) { return s.serving.weights.base() / static_cast<double>(s.serving.streams); }
double request_bytes_of(const Scenario& s) {
  const double size = s.serving.request_size.base();
  return size > 0 ? std::min(size, stream_bytes_of(s)) : stream_bytes_of(s);
}
double requests_of(double size, double request) {
  return request > 0 ? std::max(1.0, std::ceil(size / request * (1.0 - 1e-12))) : 0.0;
}

double nic_of(const Scenario& s) {
  // A node's own device is not behind its network card.
  return s.storage.scope == TierScope::kPerNode ? FlowNetwork::kUnlimited : cap_of(s.cluster.usable_nic());
}

// Of ascending values: the first that a share `p` of them does not exceed.
double value_at(const std::vector<double>& ascending, double p) {
  if (ascending.empty()) return 0.0;
  const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(ascending.size())));
  return ascending[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

ServingBound serving_bound(const Scenario& s) {
  const double weights = s.serving.weights.base(), request = request_bytes_of(s);
  const auto hosts = static_cast<double>(s.cluster.nodes), streams = static_cast<double>(s.serving.streams);
  const bool per_node = s.storage.scope == TierScope::kPerNode;
  const double at_tier = per_node ? 1.0 : hosts;  // hosts behind one device
  const double requests = requests_of(stream_bytes_of(s), request);
  const double stream = cap_of(s.storage.stream_bandwidth);
  ServingBound bound;
  const auto limit = [&](double time_s, const char* resource) {
    if (std::isfinite(time_s) && time_s > bound.time_s) bound = {time_s, resource};
  };
  limit(least_read_s(s.storage, at_tier * weights) / (1.0 - s.storage.noise), "tier_bandwidth");
  limit(weights / cap_of(s.storage.client_read_bandwidth), "client_bandwidth");
  limit(weights / nic_of(s), "nic");
  limit(weights / cap_of(s.serving.load_bandwidth), "load_bandwidth");
  if (const double rate = s.storage.read_iops.base(); rate > 0) {
    const double at_once = s.storage.retry_base.base() > 0 ? rate : 1.0;  // a second's worth where others are refused
    limit((at_tier * streams * requests - at_once) / rate, "read_iops");
  }
  limit(mean_of(s.storage.open_latency) + requests * mean_of(s.storage.latency) + stream_bytes_of(s) / stream,
        "streams");
  return bound;
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
ServingModel::ServingModel(SharedStorage& storage, const Scenario& s, std::uint64_t seed, const ServingOptions& options)
    : storage_(&storage),
      sim_(&storage.simulator()),
      scenario_(&s),
      stream_bytes_(stream_bytes_of(s) * options.remaining),
      request_bytes_(request_bytes_of(s)),
      stop_(options.stop) {
  const auto all = static_cast<double>(s.cluster.nodes * s.serving.streams);
  const double requests = requests_of(stream_bytes_, request_bytes_);
  const double reads = std::max(options.fewest_reads, std::floor(options.most_reads / all));
  coarse_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(requests / reads)));
  const double client = std::min(cap_of(s.storage.client_read_bandwidth), nic_of(s));
  const double stream = cap_of(s.storage.stream_bandwidth);
  limited_ = std::isfinite(std::min({storage.read_cap(), client, stream}));
  const RandomStream starts(seed, DrawPurpose::kWorkerStart, 0);
  for (std::int64_t n = 0; n < s.cluster.nodes; ++n) {
    Host& host = hosts_.emplace_back();
    const double u = starts.uniform_at(static_cast<std::uint64_t>(n));
    const double at = options.even_starts ? (static_cast<double>(n) + u) / static_cast<double>(s.cluster.nodes) : u;
    host.start_s = s.serving.start_spread.base() * at;
    host.streams = s.serving.streams;
    for (std::int64_t k = 0; k < s.serving.streams; ++k) {
      const auto entity = static_cast<std::uint64_t>(n * s.serving.streams + k);
      streams_.push_back({RandomStream(seed, DrawPurpose::kLatency, entity),
                          RandomStream(seed, DrawPurpose::kOpenLatency, entity),
                          RandomStream(seed, DrawPurpose::kBackOff, entity)});
    }
    if (!limited_) continue;
    const std::size_t device = s.storage.scope == TierScope::kPerNode ? static_cast<std::size_t>(n) : 0;
    const std::array path{storage.read_link(device), storage.add_link(client, LostTime::kClientCap)};
    host.cls = storage.network().add_class(path, stream);
  }
  reading_hosts_ = s.cluster.nodes;
}

void ServingModel::start(std::function<void()> when_read) {
  when_read_ = std::move(when_read);
  began_ = sim_->now();
  const auto streams = static_cast<std::size_t>(scenario_->serving.streams);
  for (std::size_t h = 0; h < hosts_.size(); ++h)
    for (std::size_t k = 0; k < streams; ++k) sim_->spawn(read_stream(*sim_, *this, h, h * streams + k));
}

void ServingModel::look_for_stop() {
  if ((++turns_ & 63) == 0 && stop_.stop_requested()) sim_->stop();
}

void ServingModel::spend(LostTime cause, SimTime since) { time_s_[index(cause)] += to_seconds(sim_->now() - since); }

// Of `requests` requests one after the other: drawn, or the mean of fewer draws for many.
double ServingModel::latency_of(StreamState& stream, double requests) const {
  const Distribution& d = scenario_->storage.latency;
  if (d.kind == DistributionKind::kConstant) return requests * d.mean;
  const double draws = std::min(requests, kMostDraws);
  double sum = 0.0;
  for (double i = 0.0; i < draws; ++i) sum += quantile_of(d, stream.latency.uniform_at(stream.draws++));
  return sum * requests / draws;
}

// Waits until the system takes `requests` requests up; refused ones back off as those of a training job do.
Task<void> ServingModel::admit(StreamState& stream, double requests, std::size_t device) {
  const SimTime asked = sim_->now();
  if (storage_->refuses()) {
    double pause = scenario_->storage.retry_base.base();
    const double longest = std::max(pause, scenario_->storage.retry_max.base());
    while (!storage_->refusing().takes(sim_->now(), requests)) {
      refused_ += requests;
      look_for_stop();
      co_await sim_->delay(to_ns(pause * stream.back_off.uniform()));
      pause = std::min(longest, 2.0 * pause);
    }
  } else {
    co_await sim_->delay(storage_->requests(device).admit(sim_->now(), requests) - sim_->now());
  }
  spend(LostTime::kRequestRate, asked);
}

// The GPUs take requests as they come: the first of a read when its share of the time since `began` has passed.
void ServingModel::load(Host& host, double requests, double size, SimTime began) {
  const double rate = scenario_->serving.load_bandwidth.base();
  const double now = to_seconds(sim_->now()), first = to_seconds(began) + (now - to_seconds(began)) / requests;
  if (rate <= 0.0) {
    host.loaded_s = now;
    return;
  }
  host.loaded_s = std::max(std::max(host.loaded_s, first) + size / rate, now + size / requests / rate);
}

Process ServingModel::read_stream(Simulator& sim, ServingModel& model, std::size_t h, std::size_t k) {
  const Scenario& s = *model.scenario_;
  Host& host = model.hosts_[h];
  StreamState& stream = model.streams_[k];
  const std::size_t device = s.storage.scope == TierScope::kPerNode ? h : 0;
  if (host.start_s > 0) co_await sim.delay(to_ns(host.start_s));

  SimTime since = sim.now();
  if (const SimTime taken = model.storage_->opens(device).admit(sim.now(), 1.0); taken > sim.now()) {
    co_await sim.delay(taken - sim.now());
    model.spend(LostTime::kRequestRate, since);
  }
  since = sim.now();
  co_await sim.delay(to_ns(quantile_of(s.storage.open_latency, stream.open.uniform_at(0))));
  model.spend(LostTime::kStorageLatency, since);

  double left = model.stream_bytes_;
  std::int64_t requests = model.coarse_;
  if (requests > 1) requests = 1 + static_cast<std::int64_t>(stream.open.uniform_at(1) * static_cast<double>(requests));
  while (left > 0) {
    model.look_for_stop();
    // What is left by rounding is no request of its own.
    double size = std::min(left, static_cast<double>(requests) * model.request_bytes_);
    if (left - size < 1e-9 * model.stream_bytes_) size = left;
    const double count = requests_of(size, model.request_bytes_);
    co_await model.admit(stream, count, device);
    since = sim.now();
    const SimTime began = since;
    const double latency_s = model.latency_of(stream, count);
    co_await sim.delay(to_ns(model.storage_->is_occupied() ? model.storage_->overlapping(latency_s) : latency_s));
    if (model.storage_->is_occupied()) co_await model.storage_->occupy(device, count, latency_s);
    model.spend(LostTime::kStorageLatency, since);
    since = sim.now();
    if (model.storage_->bursts()) {
      co_await sim.delay(model.storage_->burst().admit(sim.now(), size) - sim.now());
      model.spend(LostTime::kTierBandwidth, since);
      since = sim.now();
    }
    model.under_way_bytes_ += size;
    if (model.storage_->takes_turns()) co_await model.storage_->turns(device, false).transfer(size);
    if (model.limited_) co_await model.storage_->network().transfer(host.cls, size);
    model.under_way_bytes_ -= size;
    if (model.storage_->is_occupied()) model.storage_->release(device);
    model.spend(model.limited_ ? model.storage_->limit_of(host.cls) : LostTime::kTierBandwidth, since);
    model.read_bytes_ += size;
    model.requests_ += count;
    model.load(host, count, size, began);
    left -= size;
    requests = model.coarse_;
  }
  if (--host.streams > 0) co_return;
  host.read_s = to_seconds(sim.now());
  if (--model.reading_hosts_ == 0) model.when_read_();
}

ServingResult ServingModel::result() const {
  ServingResult out;
  out.hosts = out.simulated_hosts = scenario_->cluster.nodes;
  const double began = to_seconds(began_), streams = static_cast<double>(scenario_->serving.streams);
  std::array<double, static_cast<std::size_t>(LostTime::kCount)> time = time_s_;
  std::vector<double> ready;
  for (const Host& host : hosts_) {
    if (host.streams > 0) continue;
    const double at = std::max(host.read_s, host.loaded_s);
    ready.push_back(at - began);
    time[index(LostTime::kHostToDevice)] += (at - host.read_s) * streams;
    out.last_byte_s = std::max(out.last_byte_s, host.read_s - began);
    out.mean_ready_s += ready.back();
  }
  std::sort(ready.begin(), ready.end());
  out.complete = ready.size() == hosts_.size();
  out.first_ready_s = value_at(ready, 0.0);
  out.median_ready_s = value_at(ready, 0.5);
  out.last_ready_s = value_at(ready, 1.0);
  out.mean_ready_s /= std::max<double>(1.0, static_cast<double>(ready.size()));
  out.read_bytes = read_bytes_;
  out.bytes_per_s = out.last_byte_s > 0 ? read_bytes_ / out.last_byte_s : 0.0;
  out.requests = requests_;
  out.refused_requests = refused_;
  double all = 0.0;
  for (const double t : time) all += t;
  for (std::size_t c = 0; c < time.size(); ++c) out.time_fraction[c] = all > 0 ? time[c] / all : 0.0;
  const double devices =
      scenario_->storage.scope == TierScope::kPerNode ? static_cast<double>(scenario_->cluster.nodes) : 1.0;
  if (scenario_->storage.read_bandwidth.base() > 0)
    out.storage_busy_fraction = std::min(1.0, out.bytes_per_s / (scenario_->storage.read_bandwidth.base() * devices));
  const ServingBound bound = serving_bound(*scenario_);
  out.bound_s = bound.time_s;
  out.bound_resource = bound.resource;
  out.events = sim_->events();
  return out;
}

}  // namespace stallcast
