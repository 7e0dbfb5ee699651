// compressed_segmentation (array → bytes): labels as indexes into tables, by blocks; Neuroglancer's
// encoding of segmentations. Name: Zarr v3 "compressed_segmentation". Decoder only; full module
// only.
//
//   offset of each channel
//   channel   a header for each block: offset of its table (24 bits), bits of an index (8 bits:
//             0, 1, 2, 4, 8, 16 or 32), offset of its indexes; then indexes and tables in any order
//
// Offsets are in 32-bit words; those of a block count from the start of its channel. Indexes are
// packed, lowest bits first. Blocks at the upper ends are padded.
//
// Parameters: [lengths of a block: x, y, z]. The array has the dimensions c, z, y, x, or the last of
// these.
//
// Trust: the headers of a channel, the indexes of a block and each index are checked before use.
// Bytes that no block refers to are ignored.
#ifdef ZW_RARE_CODECS

#include <algorithm>

#include "base/checked.hpp"
#include "codecs/codec.hpp"

namespace zw {
namespace {

constexpr uint64_t kMaxBlock = uint64_t{1} << 26;
constexpr size_t kWord = sizeof(uint32_t);

/// Lengths of an array or a block: x, y, z and channels.
struct Lengths {
  size_t x = 1, y = 1, z = 1, channels = 1;
};

Lengths arrayLengths(const ArrayInfo& array) {
  Lengths lengths;
  size_t* const list[] = {&lengths.x, &lengths.y, &lengths.z, &lengths.channels};
  for (uint32_t i = 0; i < array.rank; i++) *list[i] = array.shape[array.rank - 1 - i];
  return lengths;
}

uint64_t blockCount(const Lengths& size, const Step& step) {
  return ceilDiv(size.x, step.params[0]) * ceilDiv(size.y, step.params[1]) *
         ceilDiv(size.z, step.params[2]);
}

Status prepare(Step& step) {
  const ArrayInfo& array = step.decodedArray;
  if (step.params.size() != 3 || array.rank > 4) return Code::BadParameters;
  if (array.dtype != DTypeId::Uint32 && array.dtype != DTypeId::Uint64) return Code::BadParameters;
  uint64_t block = 1;
  for (uint32_t length : step.params) {
    if (length == 0 || length > kMaxBlock) return Code::BadParameters;
    block *= length;
    if (block > kMaxBlock) return Code::BadParameters;
  }
  const Lengths size = arrayLengths(array);
  const uint64_t blocks = blockCount(size, step);
  // A block has an index of up to 32 bits and a label for each of its elements.
  const uint64_t bytes = 2 * kWord + block * (kWord + array.itemBytes);
  step.encoded = upperBound(size.channels * (kWord + blocks * bytes));
  return {};
}

/// A block of a channel, cropped to the array.
struct Block {
  uint32_t bits;  // of an index
  const uint8_t* indexes;
  const uint8_t* table;
  size_t labels, labelBytes;    // those that the table can have, and the size of one
  Lengths full, kept;           // lengths in the encoded data, and inside the array
  size_t rowBytes, planeBytes;  // distances in the array
  uint8_t* out;
};

Status decodeBlock(const Block& block) {
  const uint32_t bits = block.bits;
  const auto mask = static_cast<uint32_t>((uint64_t{1} << bits) - 1);
  for (size_t z = 0; z < block.kept.z; z++) {
    for (size_t y = 0; y < block.kept.y; y++) {
      uint8_t* to = block.out + y * block.rowBytes + z * block.planeBytes;
      uint64_t bit = ((z * block.full.y + y) * uint64_t{block.full.x}) * bits;
      for (size_t x = 0; x < block.kept.x; x++, bit += bits, to += block.labelBytes) {
        const auto word = load<uint32_t>(block.indexes + static_cast<size_t>(bit >> 5) * kWord);
        const uint32_t index = word >> (bit & 31) & mask;
        if (index >= block.labels) return Code::Corrupt;
        const uint8_t* const label = block.table + index * block.labelBytes;
        if (block.labelBytes == kWord) {
          store(to, load<uint32_t>(label));
        } else {
          store(to, load<uint64_t>(label));
        }
      }
    }
  }
  return {};
}

bool isIndexWidth(uint32_t bits) {
  return bits <= 32 && (bits & (bits - 1)) == 0;
}

/// Reads the header of a block, and decodes it. `channel` has all headers.
Status decodeBlockAt(ByteView channel, size_t number, Block& block) {
  const uint32_t head = load<uint32_t>(channel.data() + 2 * kWord * number);
  const uint32_t indexes = load<uint32_t>(channel.data() + 2 * kWord * number + kWord);
  const uint32_t bits = head >> 24;
  const size_t table = head & 0xffffff, words = channel.size() / kWord;
  if (!isIndexWidth(bits)) return Code::BadHeader;
  if (table >= words || (bits > 0 && indexes >= words)) return Code::Truncated;
  const Lengths &full = block.full, &kept = block.kept;
  const uint64_t last = ((kept.z - 1) * uint64_t{full.y} + kept.y - 1) * full.x + kept.x - 1;
  if (bits > 0 && last * bits / 32 >= words - indexes) return Code::Truncated;
  block.bits = bits;
  block.indexes = channel.data() + kWord * (bits > 0 ? indexes : 0);
  block.table = channel.data() + kWord * table;
  block.labels = (words - table) * kWord / block.labelBytes;
  return decodeBlock(block);
}

Status decodeChannel(const Step& step, ByteView channel, const Lengths& size, uint8_t* out) {
  const Lengths full = {step.params[0], step.params[1], step.params[2]};
  Block block = {};
  block.full = full;
  block.labelBytes = step.decodedArray.itemBytes;
  block.rowBytes = size.x * block.labelBytes;
  block.planeBytes = size.y * block.rowBytes;
  size_t number = 0;
  for (size_t z = 0; z < size.z; z += full.z) {
    for (size_t y = 0; y < size.y; y += full.y) {
      for (size_t x = 0; x < size.x; x += full.x, number++) {
        block.kept.x = std::min(full.x, size.x - x);
        block.kept.y = std::min(full.y, size.y - y);
        block.kept.z = std::min(full.z, size.z - z);
        block.out = out + z * block.planeBytes + y * block.rowBytes + x * block.labelBytes;
        if (Status s = decodeBlockAt(channel, number, block)) return s;
      }
    }
  }
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const size_t bytes = step.decodedArray.bytes(), words = in.size() / kWord;
  result = out.first(bytes);
  if (bytes == 0) return {};
  const Lengths size = arrayLengths(step.decodedArray);
  const uint64_t blocks = blockCount(size, step);
  if (words < size.channels || in.size() % kWord != 0) return {Code::Truncated, in.size()};
  for (size_t i = 0; i < size.channels; i++) {
    const size_t start = load<uint32_t>(in.data() + i * kWord);
    if (start > words || blocks > (words - start) / 2) return {Code::Truncated, i * kWord};
    const ByteView channel = in.subspan(start * kWord, (words - start) * kWord);
    uint8_t* const to = out.data() + i * (bytes / size.channels);
    if (Status s = decodeChannel(step, channel, size, to)) return s;
  }
  return {};
}

}  // namespace

constinit const Codec kCompressedSegmentationCodec = {
    .kind = CodecKind::ArrayToBytes,
    .prepare = prepare,
    .decode = decode,
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
