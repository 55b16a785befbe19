#include "core/model/loader/draws.h"

#include <cmath>

namespace stallcast {

namespace {

double draw(const PreparedQuantile& quantile, const RandomStream& stream, std::uint64_t number) {
  const Distribution& d = quantile.distribution();
  return d.kind == DistributionKind::kConstant ? d.mean : quantile(stream.uniform_at(number));
}

// The sum of `count` draws, of which one is known: with their mean and their variance. **Range** >= 0.
double together(const PreparedQuantile& quantile, double one, std::int64_t count) {
  if (count == 1) return one;
  const double mean = quantile.mean(), n = static_cast<double>(count);
  return n * mean + std::sqrt(n) * (one - mean);
}

}  // namespace

Distribution micro_step_time(const Scenario& s) {
  const auto samples = static_cast<double>(s.workload.batch_size);
  switch (s.workload.step_time_form) {
    case StepTimeForm::kTime:
      return s.workload.step_time;
    case StepTimeForm::kSamplesPerSecond:
      return Distribution::constant(samples / s.workload.samples_per_s_per_gpu.base());
    case StepTimeForm::kFlops:
      return Distribution::constant(
          (s.workload.flops_per_sample * samples / (s.cluster.gpu_peak * s.workload.mfu)).base());
  }
  return s.workload.step_time;
}

Draws::Draws(const Scenario& scenario, std::uint64_t seed, std::shared_ptr<const ReplayedDraws> replay, Grain grain)
    : scenario_(&scenario),
      size_(scenario.dataset.sample_size),
      decode_(scenario.dataset.decode_time),
      latency_(scenario.storage.latency),
      open_(scenario.storage.open_latency),
      step_time_(micro_step_time(scenario)),
      gpu_decode_(scenario.loader.gpu_decode_time),
      replay_(std::move(replay)),
      grain_(grain) {
  const DatasetSpec& data = scenario.dataset;
  const bool constant =
      data.sample_size.kind == DistributionKind::kConstant && data.decode_time.kind == DistributionKind::kConstant;
  if (!replay_ && constant) alike_ = SampleDraw{data.sample_size.mean, data.decode_time.mean};
  ranks_.reserve(static_cast<std::size_t>(scenario.ranks()));
  for (std::int64_t r = 0; r < scenario.ranks(); ++r) {
    const auto entity = static_cast<std::uint64_t>(r);
    ranks_.push_back(
        {RandomStream(seed, DrawPurpose::kLatency, entity), RandomStream(seed, DrawPurpose::kSampleSize, entity),
         RandomStream(seed, DrawPurpose::kDecode, entity), RandomStream(seed, DrawPurpose::kStepTime, entity),
         RandomStream(seed, DrawPurpose::kOpenLatency, entity), RandomStream(seed, DrawPurpose::kGpuDecode, entity)});
  }
}

SampleDraw Draws::drawn_sample(std::int64_t rank, std::uint64_t number) const {
  const auto r = static_cast<std::size_t>(rank);
  if (replay_) {
    const ReplayedDraws::Rank& replay = replay_->ranks[r];
    const auto at = [number](const std::vector<double>& v) { return v.empty() ? 0.0 : v[number % v.size()]; };
    return {at(replay.size_bytes), at(replay.decode_s)};
  }
  const RankStreams& streams = ranks_[r];
  const DatasetSpec& data = scenario_->dataset;
  SampleDraw out;
  if (data.decode_size_correlation == 0.0 || data.decode_time.kind == DistributionKind::kConstant ||
      data.sample_size.kind == DistributionKind::kConstant) {
    out.size_bytes = draw(size_, streams.size, number);
    out.decode_s = draw(decode_, streams.decode, number);
    return out;
  }
  // Gaussian copula: normal scores with correlation 2 sin(pi rho / 6) have rank (Spearman) correlation rho.
  const double u = streams.size.uniform_at(number);
  const double pearson = 2.0 * std::sin(M_PI / 6.0 * data.decode_size_correlation);
  const double z = pearson * normal_quantile(u) + std::sqrt(std::max(0.0, 1.0 - pearson * pearson)) *
                                                      normal_quantile(streams.decode.uniform_at(number));
  out.size_bytes = size_(u);
  out.decode_s = decode_(std::min(1.0 - 1e-16, std::max(1e-300, normal_cdf(z))));
  return out;
}

double Draws::latency_s(std::int64_t rank, std::uint64_t number) const {
  const auto r = static_cast<std::size_t>(rank);
  if (replay_) {
    const std::vector<double>& recorded = replay_->ranks[r].latency_s;
    return recorded.empty() ? 0.0 : recorded[number % recorded.size()];
  }
  return draw(latency_, ranks_[r].latency, number);
}

SampleDraw Draws::samples(std::int64_t rank, std::uint64_t number, std::int64_t count) const {
  const SampleDraw one = sample(rank, number);
  if (count == 1) return one;
  return {together(size_, one.size_bytes, count), together(decode_, one.decode_s, count)};
}

double Draws::latencies_s(std::int64_t rank, std::uint64_t number, std::int64_t count) const {
  return together(latency_, latency_s(rank, number), count);
}

double Draws::open_latencies_s(std::int64_t rank, std::uint64_t number, std::int64_t count) const {
  return together(open_, open_latency_s(rank, number), count);
}

double Draws::step_s(std::int64_t rank, std::uint64_t step) const {
  const auto r = static_cast<std::size_t>(rank);
  if (replay_ && !replay_->ranks[r].step_s.empty())
    return replay_->ranks[r].step_s[step % replay_->ranks[r].step_s.size()];
  return draw(step_time_, ranks_[r].step, step);
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): a number and how many
double Draws::gpu_decode_s(std::int64_t rank, std::uint64_t first, std::int64_t count) const {
  const Distribution& time = scenario_->loader.gpu_decode_time;
  if (time.kind == DistributionKind::kConstant) return time.mean * static_cast<double>(count);
  double sum = 0.0;
  const RandomStream& stream = ranks_[static_cast<std::size_t>(rank)].gpu_decode;
  for (std::uint64_t i = first; i < first + static_cast<std::uint64_t>(count); ++i) sum += draw(gpu_decode_, stream, i);
  return sum;
}

double Draws::open_latency_s(std::int64_t rank, std::uint64_t number) const {
  return draw(open_, ranks_[static_cast<std::size_t>(rank)].open, number);
}

}  // namespace stallcast
