// The decoder of adaptive entropy coding. Samples come in intervals, intervals in blocks:
//
//   interval   blocks; with differences, its first block starts with a sample as a reference, which
//              follows the block's id
//   id         of 3 bits for samples of up to 8 bits, 4 for up to 16, else 5; restricted: 1 or 2
//   id 0, 0    blocks of zeros: their number - 1 in unary; 4 = up to the end of the interval or of
//              its 64 blocks; larger numbers are one more than the number - 1
//   id 0, 1    pairs of samples a, b: (a + b) * (a + b + 1) / 2 + b in unary
//   id 1 …     samples divided by 2^(id - 1) in unary, then the remainders
//   last id    samples without coding
//
// A number n in unary is n zeros and a one. All fields are in bits, highest first.
//
// Safety: the reader never leaves the input; past its end it yields zeros, which is detected after
// each block. A block has at most 256 samples. Samples are computed modulo 2^32.
//
// Speed: unary numbers are counted in a 64-bit window, which is loaded once for several of them;
// remainders are unpacked as an array (kernels/high_bits.hpp).
#ifdef ZW_RARE_CODECS

#include "codecs/aec.hpp"

#include <algorithm>

#include "codecs/bit_reader.hpp"

namespace zw {
namespace {

constexpr uint32_t kRestOfSegment = 5, kSegmentBlocks = 64;
constexpr uint32_t kMaxPair = 90;  // pairs add up to at most 12

uint32_t idBits(const AecFormat& format) {
  if (format.bits > 16) return 5;
  if (format.bits > 8) return 4;
  if (format.isRestricted && format.bits <= 4) return format.bits <= 2 ? 1 : 2;
  return 3;
}

/// Reads one block after another into `samples`.
class BlockReader {
 public:
  BlockReader(const AecFormat& format, ByteView in)
      : format_(format), in_(in), idBits_(idBits(format)) {}

  /// Reads a block: `index` is its place in the interval. The first sample of an interval with
  /// differences is a reference. `zeroBlocks` is the number of blocks of zeros that it starts; 0 for
  /// other blocks, whose samples are in `samples`.
  Status next(uint32_t index, uint32_t& zeroBlocks) {
    const uint32_t count = format_.blockSamples;
    const uint32_t reference = format_.hasDifferences && index == 0 ? 1 : 0;
    zeroBlocks = 0;
    const uint32_t id = in_.bits(idBits_);
    Status s;
    if (id == (1u << idBits_) - 1) {
      if (!in_.array(format_.bits, count, samples)) s = Code::Truncated;
    } else if (id == 0) {
      const bool hasPairs = in_.bits(1) != 0;
      if (reference) samples[0] = in_.bits(format_.bits);
      s = hasPairs ? readPairs(reference) : readZeros(index, zeroBlocks);
    } else {
      if (reference) samples[0] = in_.bits(format_.bits);
      s = readSplit(id - 1, count - reference, samples + reference);
    }
    if (!s && in_.isPastEnd()) s = Code::Truncated;
    return s ? Status{s.code, in_.byte()} : Status{};
  }

  void align() { in_.align(); }

  uint32_t samples[kAecMaxBlock];

 private:
  Status readSplit(uint32_t bits, uint32_t count, uint32_t* out) {
    in_.unaryRun(count, out);
    if (bits == 0 || count == 0) return {};
    uint32_t low[kAecMaxBlock];
    if (!in_.array(bits, count, low)) return Code::Truncated;
    for (uint32_t i = 0; i < count; i++) out[i] = (out[i] << bits) + low[i];
    return {};
  }

  Status readPairs(uint32_t from) {
    for (uint32_t i = from; i < format_.blockSamples; i++) {
      const uint32_t pair = in_.unary();
      if (pair > kMaxPair) return Code::Corrupt;
      uint32_t sum = 0, start = 0;  // start = sum * (sum + 1) / 2
      while (start + sum + 1 <= pair) start += ++sum;
      const uint32_t second = pair - start;
      if (i % 2 == 0) {
        samples[i++] = sum - second;
        if (i == format_.blockSamples) break;
      }
      samples[i] = second;
    }
    return {};
  }

  Status readZeros(uint32_t index, uint32_t& blocks) {
    blocks = in_.unary() + 1;
    const uint32_t left = format_.intervalBlocks - index;
    if (blocks == kRestOfSegment) {
      blocks = std::min(left, kSegmentBlocks - index % kSegmentBlocks);
    } else if (blocks > kRestOfSegment) {
      blocks--;
    }
    return blocks > left ? Status{Code::Corrupt} : Status{};
  }

  const AecFormat& format_;
  BitReader in_;
  uint32_t idBits_;
};

/// Turns differences into samples.
class Predictor {
 public:
  explicit Predictor(const AecFormat& format) {
    const uint64_t values = uint64_t{1} << format.bits;
    offset_ = format.isSigned ? static_cast<uint32_t>(values >> 1) : 0;
    top_ = static_cast<uint32_t>(values - 1);
  }

  /// Sets the reference, and returns it as a sample.
  uint32_t start(uint32_t reference) {
    last_ = (reference ^ offset_) & top_;  // counted from the smallest number
    return sample();
  }

  /// Small differences alternate between both sides of the last sample; larger ones than the nearer
  /// end of the range allows lie on the other side.
  uint32_t next(uint32_t difference) {
    const uint32_t half = difference / 2, above = top_ - last_;
    const bool isLow = last_ <= above;
    const uint32_t room = isLow ? last_ : above;
    if (half + (difference & 1) <= room) {
      last_ += difference & 1 ? ~half : half;
    } else {
      last_ = isLow ? difference : top_ - difference;
    }
    return sample();
  }

  /// The sample after a difference of 0.
  uint32_t sample() const { return last_ - offset_; }

 private:
  uint32_t last_ = 0, offset_, top_;
};

template <class Sample>
void storeAs(const uint32_t* samples, uint32_t count, uint8_t* out) {
  for (uint32_t i = 0; i < count; i++) {
    store(out + i * sizeof(Sample), static_cast<Sample>(samples[i]));
  }
}

/// Stores the samples of intervals in sequence, without padding.
class Output {
 public:
  Output(const AecFormat& format, uint8_t* out, size_t count)
      : format_(format), predictor_(format), out_(out), left_(count) {
    const uint32_t all = format.intervalBlocks * format.blockSamples;
    intervalSamples_ = format.keptSamples ? std::min(format.keptSamples, all) : all;
  }

  bool isComplete() const { return left_ == 0; }

  void startInterval() { room_ = intervalSamples_; }

  /// Appends a block, whose samples are overwritten.
  void append(uint32_t* samples, bool hasReference) {
    const uint32_t count = format_.blockSamples;
    if (format_.hasDifferences) {
      uint32_t i = 0;
      if (hasReference) samples[i++] = predictor_.start(samples[0]);
      for (; i < count; i++) samples[i] = predictor_.next(samples[i]);
    }
    put(samples, count);
  }

  /// Appends blocks without differences, or of zeros. A block is room for the samples.
  void appendSame(uint32_t blocks, uint32_t* block, bool hasReference) {
    if (hasReference) (void)predictor_.start(block[0]);
    const uint32_t sample = format_.hasDifferences ? predictor_.sample() : 0;
    std::fill_n(block, format_.blockSamples, sample);
    for (; blocks > 0 && left_ > 0; blocks--) put(block, format_.blockSamples);
  }

 private:
  void put(const uint32_t* samples, uint32_t count) {
    const uint32_t inInterval = std::min(count, room_);
    const auto kept = static_cast<uint32_t>(std::min<size_t>(inInterval, left_));
    switch (aecSampleBytes(format_)) {
      case 1:
        storeAs<uint8_t>(samples, kept, out_);
        break;
      case 2:
        storeAs<uint16_t>(samples, kept, out_);
        break;
      default:
        storeAs<uint32_t>(samples, kept, out_);
    }
    out_ += size_t{kept} * aecSampleBytes(format_);
    room_ -= inInterval;
    left_ -= kept;
  }

  const AecFormat& format_;
  Predictor predictor_;
  uint8_t* out_;
  size_t left_;
  uint32_t intervalSamples_, room_ = 0;
};

}  // namespace

bool isAecFormat(const AecFormat& format) {
  return format.bits >= 1 && format.bits <= 32 && format.blockSamples >= 1 &&
         format.blockSamples <= kAecMaxBlock && format.intervalBlocks >= 1 &&
         format.intervalBlocks <= kAecMaxIntervalBlocks;
}

Status aecDecode(const AecFormat& format, ByteView in, uint8_t* out, size_t count) {
  BlockReader reader(format, in);
  Output output(format, out, count);
  while (!output.isComplete()) {
    output.startInterval();
    for (uint32_t index = 0; index < format.intervalBlocks && !output.isComplete();) {
      uint32_t zeroBlocks = 0;
      if (Status s = reader.next(index, zeroBlocks)) return s;
      const bool hasReference = format.hasDifferences && index == 0;
      if (zeroBlocks > 0) {
        output.appendSame(zeroBlocks, reader.samples, hasReference);
        index += zeroBlocks;
      } else {
        output.append(reader.samples, hasReference);
        index++;
      }
    }
    if (format.padsIntervals) reader.align();
  }
  return {};
}

}  // namespace zw

#endif  // ZW_RARE_CODECS
