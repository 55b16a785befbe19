#include "core/backtest/brackets.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "core/backtest/loader/decode_work.h"
#include "core/backtest/loader/file_times.h"
#include "core/backtest/loader/host_state.h"
#include "core/backtest/loader/real_loader.h"
#include "core/backtest/loader/thread_start.h"
#include "core/diagnostics/invariant.h"
#include "core/units/stopwatch.h"

namespace stallcast {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 4;
// Of a round's time: two of decoding, the rest for reads.
constexpr double kDecodeShare = 0.32;
constexpr double kReadShare = 0.12;

// A sum of times beside the sum that was expected for the same files.
struct Compared {
  double took_s = 0.0, expected_s = 0.0;
  double ratio() const { return expected_s > 0.0 ? took_s / expected_s : 0.0; }
};

// Reads files of one order, a budget of bytes and time at a time.
class BracketReads {
 public:
  BracketReads(const SampleFiles& files, const StorageFit& storage, double open_s, const BracketPlan& plan,
               const std::stop_token& stop)
      : files_(files),
        law_(storage.reads.law),
        open_s_(open_s),
        plan_(plan),
        stop_(stop),
        order_(sample_order(files.files.size(), kMostReads, plan.seed)),
        buffers_(static_cast<std::size_t>(plan.readers)) {}

  // One at a time, after a rest of `rest_s` each.
  void alone(double bytes, double seconds, double rest_s, Compared& out) {
    const Clock::time_point begin = Clock::now();
    for (bool first = true; bytes > 0.0 && !stop_.stop_requested(); first = false) {
      if (!first && seconds_since(begin) >= seconds) return;
      const SampleFile& file = next();
      if (rest_s > 0.0) sleep_step(rest_s, stop_);
      const Clock::time_point start = Clock::now();
      buffer(0).read(file);
      out.took_s += seconds_since(start);
      out.expected_s += file_alone_s(law_, open_s_, file.bytes);
      bytes -= read_bytes(file);
    }
  }

  // All readers at once, each until there is nothing more to do for it.
  void together(double bytes, double seconds, Compared& out) {
    const auto readers = static_cast<std::size_t>(plan_.readers);
    std::vector<Compared> sums(readers);
    std::vector<std::exception_ptr> errors(readers);
    for (std::size_t i = 0; i < readers; ++i) buffer(i);
    std::mutex mutex;
    const Clock::time_point begin = Clock::now();
    const auto take = [&]() -> const SampleFile* {
      const std::scoped_lock lock(mutex);
      if (bytes <= 0.0 || seconds_since(begin) >= seconds || stop_.stop_requested()) return nullptr;
      const SampleFile& file = next();
      bytes -= read_bytes(file);
      return &file;
    };
    const auto work = [&](std::size_t reader) {
      const Clock::time_point start = Clock::now();
      Compared& sum = sums[reader];
      try {
        while (const SampleFile* file = take()) {
          buffer(reader).read(*file);
          sum.expected_s += file_among_s(law_, open_s_, file->bytes, plan_.readers);
        }
      } catch (...) {
        errors[reader] = std::current_exception();
      }
      if (sum.expected_s > 0.0) sum.took_s = seconds_since(start);
    };
    {
      std::vector<std::jthread> threads;
      start_threads(threads, readers, [&](std::size_t i) { return std::jthread([&work, i] { work(i); }); });
    }
    for (std::size_t i = 0; i < readers; ++i) {
      if (errors[i]) std::rethrow_exception(errors[i]);
      out.took_s += sums[i].took_s;
      out.expected_s += sums[i].expected_s;
    }
  }

 private:
  static constexpr std::size_t kMostReads = 20000;

  const SampleFile& next() { return files_.files[order_[at_++ % order_.size()]]; }
  SampleReaderBuffer& buffer(std::size_t i) {
    if (!buffers_[i]) buffers_[i] = std::make_unique<SampleReaderBuffer>(files_.largest);
    return *buffers_[i];
  }

  const SampleFiles& files_;
  StorageLaw law_;
  double open_s_;
  const BracketPlan& plan_;
  const std::stop_token& stop_;
  std::vector<std::uint32_t> order_;
  std::size_t at_ = 0;
  std::vector<std::unique_ptr<SampleReaderBuffer>> buffers_;
};

// CPU time per byte over several measurements, and their slices.
struct DecodeSum {
  double bytes_per_s = 0.0, count = 0.0;  // of slices, which last alike
  PaceBrackets slices;

  void add(const DecodeCost& cost) {
    for (const std::vector<double>& thread : cost.slices) {
      if (thread.empty()) continue;
      for (const double s_per_byte : thread) bytes_per_s += 1.0 / s_per_byte;
      count += static_cast<double>(thread.size());
      slices.push_back(thread);
    }
  }
  double s_per_byte() const { return count > 0.0 ? count / bytes_per_s : 0.0; }
  void append_relative(PaceBrackets& out) const {
    for (const std::vector<double>& thread : slices) {
      out.push_back(thread);
      for (double& slice : out.back()) slice /= s_per_byte();
    }
  }
};

constexpr std::array kDecodeParts = {&Bracket::decode_s_per_byte, &Bracket::decode_together_s_per_byte};
constexpr std::array kReadParts = {&Bracket::read_alone, &Bracket::read_together, &Bracket::read_rested};

// ln of each part of `after` over the same of `before`, where both were measured.
template <class Parts>
void add_changes(const Parts& parts, const Bracket& before, const Bracket& after, std::vector<double>& changes) {
  for (const auto part : parts)
    if (before.*part > 0.0 && after.*part > 0.0) changes.push_back(std::log(after.*part / before.*part));
}

double root_mean_square(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return values.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(values.size()));
}

double mean_size(const std::vector<double>& changes) {
  double sum = 0.0;
  for (const double change : changes) sum += std::abs(std::expm1(change));
  return changes.empty() ? 0.0 : sum / static_cast<double>(changes.size());
}

}  // namespace

Bracket measure_bracket(const SampleFiles& files, const StorageFit& storage, double open_s, const BracketPlan& plan,
                        const std::stop_token& stop) {
  const double round_s = plan.seconds / kRounds;
  const int kinds = plan.rest_s > 0.0 ? 3 : 2;
  const double bytes = plan.bytes / kRounds / kinds;
  const auto sample = static_cast<std::size_t>(std::max(4096.0, plan.sample_bytes));
  BracketReads reads(files, storage, open_s, plan, stop);
  DecodeSum alone, together;
  Compared read_alone, read_together, read_rested;
  for (int round = 0; round < kRounds && !stop.stop_requested(); ++round) {
    alone.add(measure_decode(1, sample, kDecodeShare * round_s, plan.rhythm, stop));
    reads.alone(bytes, kReadShare * round_s, 0.0, read_alone);
    together.add(measure_decode(plan.cores, sample, kDecodeShare * round_s, plan.rhythm, stop));
    reads.together(bytes, kReadShare * round_s, read_together);
    if (plan.rest_s > 0.0) reads.alone(bytes, kReadShare * round_s, plan.rest_s, read_rested);
  }
  Bracket out;
  if (stop.stop_requested()) return out;
  out.decode_s_per_byte = alone.s_per_byte();
  out.decode_together_s_per_byte = together.s_per_byte();
  out.read_alone = read_alone.ratio();
  out.read_together = read_together.ratio();
  out.read_rested = read_rested.ratio();
  alone.append_relative(out.pace);
  together.append_relative(out.pace);
  out.at = utc_now();
  return out;
}

Bracket pooled(const std::vector<Bracket>& brackets) {
  invariant(!brackets.empty(), "a pool has a bracket");
  Bracket out;
  const auto pool = [&](const auto& parts) {
    for (const auto part : parts) {
      double sum = 0.0, weights = 0.0, weight = 1.0;
      for (std::size_t i = brackets.size(); i-- > 0; weight *= kBracketMemory) {
        if (brackets[i].*part <= 0.0) continue;
        sum += weight * brackets[i].*part;
        weights += weight;
      }
      if (weights > 0.0) out.*part = sum / weights;
    }
  };
  pool(kDecodeParts);
  pool(kReadParts);
  for (const Bracket& bracket : brackets) out.pace.insert(out.pace.end(), bracket.pace.begin(), bracket.pace.end());
  out.at = brackets.back().at;
  return out;
}

MachineNoise noise_of(const std::vector<Bracket>& brackets) {
  std::vector<double> decode, read;
  for (std::size_t i = 1; i < brackets.size(); ++i) {
    const Bracket before = pooled({brackets.begin(), brackets.begin() + static_cast<std::ptrdiff_t>(i)});
    add_changes(kDecodeParts, before, brackets[i], decode);
    add_changes(kReadParts, before, brackets[i], read);
  }
  return {root_mean_square(decode), root_mean_square(read), static_cast<double>(decode.size()),
          static_cast<double>(read.size())};
}

BracketDrift drift_between(const std::vector<Bracket>& brackets) {
  std::vector<double> decode, read;
  for (std::size_t i = 1; i < brackets.size(); ++i) {
    add_changes(kDecodeParts, brackets[i - 1], brackets[i], decode);
    add_changes(kReadParts, brackets[i - 1], brackets[i], read);
  }
  return {mean_size(decode), mean_size(read)};
}

}  // namespace stallcast
