// Sequences of zstd blocks (RFC 8878, 3.1.1.3.2): literals to copy, then a match.
#pragma once

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/zstd_bits.hpp"
#include "codecs/zstd_fse.hpp"

namespace zw::zstd {

/// Destination of sequences. Offsets may reach back to `start`.
struct Output {
  uint8_t* start;
  uint8_t* at;
  uint8_t* end;
};

/// Literals of a block. kSlack bytes after them may be read.
struct Literals {
  static constexpr size_t kSlack = 48;

  const uint8_t* at;
  const uint8_t* end;
};

class SequenceDecoder {
 public:
  SequenceDecoder();

  /// Forgets the tables and offsets of the previous frame.
  void startFrame();

  /// Reads the tables and repeated offsets of a dictionary from the front of `in`; the rest of `in` is
  /// its content. Sets their length.
  Status readDictionary(ByteView in, size_t& length);

  /// Decodes the sequences section `in` and executes it, then copies the remaining literals.
  Status decode(ByteView in, Literals literals, Output& out);

 private:
  /// A state of one of the three coders: a base value to which `extra` bits are added, and the next
  /// state: its position in the tables, in bytes, is `next` and 8 times the value of `bits` bits.
  struct State {
    uint16_t next;
    uint8_t bits;
    uint8_t extra;
    uint32_t base;
  };
  static_assert(sizeof(State) == 8);

  enum Kind : uint8_t { LiteralLengths, Offsets, MatchLengths, Count };
  static constexpr uint32_t kFirst[Count] = {0, 512, 768};  // of each kind's states
  static constexpr uint32_t kStates = 768 + 512;

  /// Positions of the three coders in the tables, in bytes.
  struct Position {
    uint32_t of[Count];
  };

  /// Sequences between decoding and execution.
  static constexpr uint32_t kBatch = 128;
  struct Batch {
    uint32_t literalBytes[kBatch];
    uint32_t matchBytes[kBatch];
    uint32_t offset[kBatch];  // 1 to 3: a repeated offset, above: the offset + 3
  };

  Status readTable(Kind kind, uint32_t mode, ByteView in, size_t& length);
  static State stateOf(Kind kind, uint32_t symbol, uint32_t next, uint32_t bits);
  static void fill(Kind kind, const FseCounts& counts, State* to);
  static uint32_t extraShare(Kind kind, const FseCounts& counts);
  Status run(ByteView in, uint32_t count, Literals& literals, Output& out);
  template <bool AreShort>
  uint32_t readFast(BackwardBits& bits, Position& position, uint32_t from, uint32_t to);
  bool readOne(BackwardBits& bits, Position& position, bool isLast, uint32_t at);
  bool isExecutedFast(uint32_t from, uint32_t to, const Literals& literals,
                      const Output& out) const;
  uint32_t executeFast(uint32_t from, uint32_t to, Literals& literals, Output& out);
  Status executeOne(uint32_t at, Literals& literals, Output& out);
  Status execute(uint32_t count, Literals& literals, Output& out);

  State states_[kStates];
  uint32_t logs_[Count];
  uint32_t extraShares_[Count];
  bool isSet_[Count];
  uint32_t offsets_[3];
  Batch batch_;
  State predefined_[64 + 32 + 64];
};

}  // namespace zw::zstd
