#include "core/validate/numpy_random.h"

#include <array>
#include <bit>
#include <cmath>

namespace stallcast {

namespace {

// ------------------------------------------------------------------------------------------------- seeding

constexpr std::size_t kPool = 4;

std::uint32_t hash_word(std::uint32_t value, std::uint32_t& hash_const) {
  value ^= hash_const;
  hash_const *= 0x931e8875u;
  value *= hash_const;
  return value ^ (value >> 16);
}

std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t result = 0xca01f9ddu * x - 0x4973f715u * y;
  return result ^ (result >> 16);
}

// SeedSequence(entropy).generate_state(4, uint64).
std::array<std::uint64_t, 4> seed_state(const std::vector<std::uint64_t>& entropy) {
  std::vector<std::uint32_t> words;
  for (std::uint64_t e : entropy) {
    words.push_back(static_cast<std::uint32_t>(e));
    if (e >> 32) words.push_back(static_cast<std::uint32_t>(e >> 32));
  }
  std::array<std::uint32_t, kPool> pool{};
  std::uint32_t hash_const = 0x43b0d7e5u;
  for (std::size_t i = 0; i < kPool; ++i) pool[i] = hash_word(i < words.size() ? words[i] : 0, hash_const);
  for (std::size_t from = 0; from < kPool; ++from)
    for (std::size_t to = 0; to < kPool; ++to)
      if (from != to) pool[to] = mix(pool[to], hash_word(pool[from], hash_const));
  for (std::size_t from = kPool; from < words.size(); ++from)
    for (std::size_t to = 0; to < kPool; ++to) pool[to] = mix(pool[to], hash_word(words[from], hash_const));

  std::array<std::uint32_t, 8> out{};
  std::uint32_t out_const = 0x8b51f9ddu;
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint32_t value = pool[i % kPool] ^ out_const;
    out_const *= 0x58f38dedu;
    value *= out_const;
    out[i] = value ^ (value >> 16);
  }
  std::array<std::uint64_t, 4> state{};
  for (std::size_t i = 0; i < 4; ++i) state[i] = std::uint64_t{out[2 * i + 1]} << 32 | out[2 * i];
  return state;
}

constexpr unsigned __int128 kMultiplier =
    static_cast<unsigned __int128>(2549297995355413924ULL) << 64 | 4865540595714422341ULL;

// ------------------------------------------------------------------------------------------------- ziggurat

constexpr double kTailStart = 3.6541528853610087963519472518;  // r of the 256-layer normal ziggurat
constexpr double kScale = 0x1.0p52;

struct Ziggurat {
  std::array<std::uint64_t, 256> inside{};  // a draw below this is inside its layer
  std::array<double, 256> width{};
  std::array<double, 256> height{};

  Ziggurat() {
    const auto density = [](double x) { return std::exp(-0.5 * x * x); };
    // Area of a layer: r f(r) plus the tail beyond r.
    const double area =
        kTailStart * density(kTailStart) + std::sqrt(M_PI / 2.0) * std::erfc(kTailStart / std::sqrt(2.0));
    const double base = area / density(kTailStart);
    inside[0] = static_cast<std::uint64_t>(kTailStart / base * kScale);
    inside[1] = 0;
    width[0] = base / kScale;
    width[255] = kTailStart / kScale;
    height[0] = 1.0;
    height[255] = density(kTailStart);
    double outer = kTailStart;
    for (std::size_t i = 254; i >= 1; --i) {
      const double x = std::sqrt(-2.0 * std::log(area / outer + density(outer)));
      inside[i + 1] = static_cast<std::uint64_t>(x / outer * kScale);
      width[i] = x / kScale;
      height[i] = density(x);
      outer = x;
    }
  }
};

}  // namespace

NumpyRandom::NumpyRandom(const std::vector<std::uint64_t>& entropy) {
  const auto seed = seed_state(entropy);
  const unsigned __int128 start = static_cast<unsigned __int128>(seed[0]) << 64 | seed[1];
  const unsigned __int128 sequence = static_cast<unsigned __int128>(seed[2]) << 64 | seed[3];
  increment_ = sequence << 1 | 1;
  state_ = increment_ + start;  // one step from state 0, then the start added
  state_ = state_ * kMultiplier + increment_;
}

std::uint64_t NumpyRandom::next64() {
  state_ = state_ * kMultiplier + increment_;
  const auto high = static_cast<std::uint64_t>(state_ >> 64), low = static_cast<std::uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

double NumpyRandom::uniform() { return static_cast<double>(next64() >> 11) * 0x1.0p-53; }

double NumpyRandom::normal() {
  static const Ziggurat kTable;
  for (;;) {
    std::uint64_t bits = next64();
    const std::size_t layer = bits & 0xff;
    bits >>= 8;
    const bool negative = (bits & 1) != 0;
    const std::uint64_t magnitude = (bits >> 1) & 0x000fffffffffffffULL;
    double x = static_cast<double>(magnitude) * kTable.width[layer];
    if (negative) x = -x;
    if (magnitude < kTable.inside[layer]) return x;
    if (layer == 0) {
      for (;;) {
        const double xx = -std::log1p(-uniform()) / kTailStart;
        const double yy = -std::log1p(-uniform());
        if (yy + yy > xx * xx) return ((magnitude >> 8) & 1) != 0 ? -(kTailStart + xx) : kTailStart + xx;
      }
    }
    if ((kTable.height[layer - 1] - kTable.height[layer]) * uniform() + kTable.height[layer] < std::exp(-0.5 * x * x))
      return x;
  }
}

}  // namespace stallcast
