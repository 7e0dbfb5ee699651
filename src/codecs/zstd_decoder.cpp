// Trust: neither the window nor the content size of a header is used as an allocation size. Blocks
// and literals are limited to 128 KiB, which the decoder has room for.
#include "codecs/zstd_decoder.hpp"

#define XXH_NAMESPACE ZSTD_
#include <common/xxhash.h>

#include <algorithm>

namespace zw::zstd {
namespace {

constexpr uint32_t kMagic = 0xfd2fb528;

}  // namespace

Status readFrameHeader(ByteView in, FrameHeader& header) {
  ByteReader reader(in);
  if (reader.u32() != kMagic) return reader.ok() ? Code::BadHeader : Code::Truncated;
  const uint32_t flags = reader.u8();
  const bool isSingle = (flags & 0x20) != 0;
  const uint32_t window = isSingle ? 0 : reader.u8();
  if (flags & 8) return Code::BadHeader;
  const uint32_t sizeFlag = flags >> 6;
  constexpr uint32_t kIdBytes[] = {0, 1, 2, 4};
  const ByteView id = reader.bytes(kIdBytes[flags & 3]);
  header.hasContentSize = isSingle || sizeFlag != 0;
  header.contentSize = 0;
  if (sizeFlag == 1) {
    header.contentSize = reader.u16() + 256u;
  } else if (sizeFlag == 2) {
    header.contentSize = reader.u32();
  } else if (sizeFlag == 3) {
    header.contentSize = reader.u64();
  } else if (isSingle) {
    header.contentSize = reader.u8();
  }
  if (!reader.ok()) return {Code::Truncated, in.size()};
  if (!isSingle && (window >> 3) > 21) return Code::BadHeader;  // over 2 GiB
  header.dictionaryId = 0;
  for (size_t i = 0; i < id.size(); i++) header.dictionaryId |= uint32_t{id[i]} << (8 * i);
  const uint64_t base = uint64_t{1} << (10 + (window >> 3));
  header.window = isSingle ? header.contentSize : base + base / 8 * (window & 7);
  header.maxBlock = static_cast<size_t>(std::min<uint64_t>(header.window, kMaxBlock));
  header.hasChecksum = (flags & 4) != 0;
  header.bytes = reader.at();
  return {};
}

Status readBlockHeader(ByteView in, const FrameHeader& frame, BlockHeader& header) {
  const uint32_t head = in[0] | in[1] << 8 | in[2] << 16;
  header.isLast = head & 1;
  header.type = static_cast<BlockHeader::Type>((head >> 1) & 3);
  header.size = head >> 3;
  header.stored = header.type == BlockHeader::Repeated ? 1 : header.size;
  const bool isValid = header.type <= BlockHeader::Compressed && header.size <= frame.maxBlock;
  return isValid ? Status{} : Status{Code::Corrupt};
}

void FrameDecoder::startFrame() {
  sequences_.startFrame();
  hasHuffman_ = false;
}

Status FrameDecoder::decode(ByteView in, ByteSpan out, bool verifiesChecksum, size_t& length,
                            size_t& produced) {
  FrameHeader header;
  if (Status s = readFrameHeader(in, header)) return s;
  if (header.dictionaryId != 0) return Code::BadVersion;
  startFrame();
  Output output{out.data(), out.data(), out.data() + out.size()};
  size_t at = header.bytes;
  BlockHeader block;
  do {
    if (in.size() - at < BlockHeader::kBytes) return {Code::Truncated, in.size()};
    if (Status s = readBlockHeader(in.subspan(at), header, block)) return s;
    at += BlockHeader::kBytes;
    if (block.stored > in.size() - at) return {Code::Truncated, in.size()};
    if (Status s = decodeBlock(block, in.subspan(at, block.stored), header.maxBlock, output)) {
      return s;
    }
    at += block.stored;
  } while (!block.isLast);
  produced = static_cast<size_t>(output.at - output.start);
  if (header.hasContentSize && produced != header.contentSize) return Code::Corrupt;
  if (header.hasChecksum) {
    if (in.size() - at < 4) return {Code::Truncated, in.size()};
    if (verifiesChecksum && load<uint32_t>(in.data() + at) !=
                                static_cast<uint32_t>(ZSTD_XXH64(out.data(), produced, 0))) {
      return Code::ChecksumMismatch;
    }
    at += 4;
  }
  length = at;
  return {};
}

Status FrameDecoder::readLiterals(ByteView in, size_t maxBlock, Literals& literals,
                                  size_t& length) {
  ByteReader reader(in);
  const uint32_t head = reader.u8(), type = head & 3, format = (head >> 2) & 3;
  size_t size, stored;
  if (type < 2) {
    size = head >> 3;
    if (format == 1) size = (head >> 4) | reader.u8() << 4;
    if (format == 3) size = (head >> 4) | reader.u16() << 4;
    stored = type == 0 ? size : 1;
  } else {
    const uint32_t extra = format < 2 ? 2 : format + 1;  // bytes of sizes after the first
    const ByteView rest = reader.bytes(extra);
    uint64_t word = head >> 4;
    for (size_t i = 0; i < rest.size(); i++) word |= uint64_t{rest[i]} << (4 + 8 * i);
    const uint32_t width = format < 2 ? 10 : format == 2 ? 14 : 18;
    size = word & ((1u << width) - 1);
    stored = (word >> width) & ((1u << width) - 1);
  }
  const ByteView data = reader.bytes(stored);
  if (!reader.ok() || size > maxBlock) return Code::Corrupt;
  length = reader.at();
  literals = {literals_, literals_ + size};
  if (type == 0) {
    if (reader.left() >= Literals::kSlack) {
      literals = {data.data(), data.data() + size};
    } else if (size > 0) {
      std::memcpy(literals_, data.data(), size);
    }
    return {};
  }
  if (type == 1) {
    std::memset(literals_, data[0], size);
    return {};
  }
  size_t tree = 0;
  if (type == 2) {
    hasHuffman_ = false;
    if (Status s = huffman_.read(data, tree)) return s;
    hasHuffman_ = true;
  }
  if (!hasHuffman_) return Code::Corrupt;
  const ByteSpan out(literals_, size);
  return format == 0 ? huffman_.decodeOne(data.subspan(tree), out)
                     : huffman_.decodeFour(data.subspan(tree), out);
}

Status FrameDecoder::decodeBlock(const BlockHeader& header, ByteView in, size_t maxBlock,
                                 Output& out) {
  if (header.type == BlockHeader::Compressed) {
    const uint8_t* const from = out.at;
    Literals literals;
    size_t length;
    if (Status s = readLiterals(in, maxBlock, literals, length)) return s;
    if (Status s = sequences_.decode(in.subspan(length), literals, out)) return s;
    return static_cast<size_t>(out.at - from) <= maxBlock ? Status{} : Status{Code::Corrupt};
  }
  const size_t size = header.size;
  if (size > static_cast<size_t>(out.end - out.at)) return Code::SizeMismatch;
  if (header.type == BlockHeader::Raw && size > 0) std::memcpy(out.at, in.data(), size);
  if (header.type == BlockHeader::Repeated && size > 0) std::memset(out.at, in[0], size);
  out.at += size;
  return {};
}

Status FrameDecoder::readDictionary(ByteView in, size_t& length) {
  size_t tree;
  if (Status s = huffman_.read(in, tree)) return s;
  hasHuffman_ = true;
  if (Status s = sequences_.readDictionary(in.subspan(tree), length)) return s;
  length += tree;
  return {};
}

}  // namespace zw::zstd
