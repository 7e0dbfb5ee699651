// Reads the .xz container without liblzma's stream decoder, so that the dictionary size in a
// block's header can be limited before memory is allocated for it (lzma_chain.hpp).
#ifdef ZW_RARE_CODECS

#include "codecs/lzma_container.hpp"

#include <algorithm>
#include <new>

#include "codecs/lzma_chain.hpp"

namespace zw {
namespace {

constexpr size_t kAloneHeader = 13;

struct StreamContext {
  lzma_stream stream = LZMA_STREAM_INIT;
  ~StreamContext() { lzma_end(&stream); }
};

/// The filters of a block header, whose options liblzma allocates.
struct BlockFilters {
  lzma_filter filters[LZMA_FILTERS_MAX + 1];
  BlockFilters() { filters[0] = {LZMA_VLI_UNKNOWN, nullptr}; }
  ~BlockFilters() { lzma_filters_free(filters, nullptr); }
};

/// Checks a stream's index against its blocks.
struct IndexHash {
  lzma_index_hash* hash = lzma_index_hash_init(nullptr, nullptr);
  ~IndexHash() { lzma_index_hash_end(hash, nullptr); }
};

/// Decodes one .xz stream.
class XzStream {
 public:
  XzStream(lzma_stream& coder, ByteView in, ByteSpan out, bool verifiesChecks)
      : coder_(coder), in_(in), out_(out), verifiesChecks_(verifiesChecks) {}

  /// Decodes the stream at the front of `in`.
  Status decode(LzmaDone& done) {
    if (!index_.hash) return Code::OutOfMemory;
    Status s = header();
    while (!s && at_ < in_.size() && in_[at_] != 0) s = block();
    if (!s) s = index();
    if (!s) s = footer();
    if (s) return s;
    done = {at_, produced_};
    return {};
  }

 private:
  Status truncated() const { return {Code::Truncated, in_.size()}; }

  Status header() {
    if (in_.size() < LZMA_STREAM_HEADER_SIZE) return truncated();
    if (const lzma_ret r = lzma_stream_header_decode(&flags_, in_.data()); r != LZMA_OK) {
      return lzmaCode(r);
    }
    if (!lzma_check_is_supported(flags_.check)) return Code::BadVersion;
    at_ = LZMA_STREAM_HEADER_SIZE;
    return {};
  }

  Status block() {
    BlockFilters owned;
    lzma_block block = {};
    block.version = 1;
    block.check = flags_.check;
    block.filters = owned.filters;
    block.header_size = lzma_block_header_size_decode(in_[at_]);
    if (block.header_size > in_.size() - at_) return truncated();
    if (const lzma_ret r = lzma_block_header_decode(&block, nullptr, in_.data() + at_);
        r != LZMA_OK) {
      return {lzmaCode(r), at_};
    }
    block.ignore_check = !verifiesChecks_;  // after decoding the header, which clears it
    capDictionaries(owned.filters, out_.size() - produced_);
    if (const lzma_ret r = lzma_block_decoder(&coder_, &block); r != LZMA_OK) {
      return {lzmaCode(r), at_};
    }
    at_ += block.header_size;
    LzmaDone done;
    if (Status s = runLzma(coder_, in_.subspan(at_), out_.subspan(produced_), done)) {
      return {isCheckError(s, block, done) ? Code::ChecksumMismatch : s.code, at_ + s.at};
    }
    at_ += done.used;
    produced_ += done.produced;
    const lzma_ret r = lzma_index_hash_append(index_.hash, lzma_block_unpadded_size(&block),
                                              block.uncompressed_size);
    return r == LZMA_OK ? Status{} : Status{lzmaCode(r), at_};
  }

  /// liblzma has a single code for all damage: it is the check if the whole block was read.
  static bool isCheckError(Status s, const lzma_block& block, const LzmaDone& done) {
    if (s.code != Code::Corrupt || block.compressed_size == LZMA_VLI_UNKNOWN) return false;
    const uint64_t padded = (block.compressed_size + 3) & ~uint64_t{3};
    return done.used == padded + lzma_check_size(block.check);
  }

  Status index() {
    const lzma_ret r = lzma_index_hash_decode(index_.hash, in_.data(), &at_, in_.size());
    if (r == LZMA_OK || r == LZMA_BUF_ERROR) return truncated();
    return r == LZMA_STREAM_END ? Status{} : Status{lzmaCode(r), at_};
  }

  Status footer() {
    if (in_.size() - at_ < LZMA_STREAM_HEADER_SIZE) return truncated();
    lzma_stream_flags footer;
    if (const lzma_ret r = lzma_stream_footer_decode(&footer, in_.data() + at_); r != LZMA_OK) {
      return {r == LZMA_FORMAT_ERROR ? Code::Corrupt : lzmaCode(r), at_};
    }
    if (footer.backward_size != lzma_index_hash_size(index_.hash) ||
        lzma_stream_flags_compare(&flags_, &footer) != LZMA_OK) {
      return {Code::Corrupt, at_};
    }
    at_ += LZMA_STREAM_HEADER_SIZE;
    return {};
  }

  lzma_stream& coder_;
  const ByteView in_;
  const ByteSpan out_;
  const bool verifiesChecks_;
  lzma_stream_flags flags_ = {};
  IndexHash index_;
  size_t at_ = 0;
  size_t produced_ = 0;
};

/// Length of the stream padding at the front of `in`, groups of four zero bytes.
size_t paddingBytes(ByteView in) {
  size_t at = 0;
  while (in.size() - at >= 4 && load<uint32_t>(in.data() + at) == 0) at += 4;
  return at;
}

bool isXz(ByteView in) {
  return in.size() >= 2 && in[0] == 0xfd && in[1] == '7';
}

}  // namespace

lzma_stream* lzmaStream(Workspace& work) {
  auto* context = work.context<StreamContext>(
      ContextId::Lzma, [] { return new (std::nothrow) StreamContext; },
      [](void* made) { delete static_cast<StreamContext*>(made); });
  return context ? &context->stream : nullptr;
}

Code lzmaCode(lzma_ret result) {
  switch (result) {
    case LZMA_MEM_ERROR:
      return Code::OutOfMemory;
    case LZMA_FORMAT_ERROR:
      return Code::BadHeader;
    case LZMA_OPTIONS_ERROR:
      return Code::BadVersion;
    default:
      return Code::Corrupt;
  }
}

Status runLzma(lzma_stream& stream, ByteView in, ByteSpan out, LzmaDone& done) {
  stream.next_in = in.data();
  stream.avail_in = in.size();
  stream.next_out = out.data();
  stream.avail_out = out.size();
  lzma_ret result;
  do {  // ends with LZMA_BUF_ERROR after a second call without progress
    result = lzma_code(&stream, LZMA_FINISH);
  } while (result == LZMA_OK);
  done.used = in.size() - stream.avail_in;
  done.produced = out.size() - stream.avail_out;
  if (result == LZMA_STREAM_END) return {};
  if (result != LZMA_BUF_ERROR) return {lzmaCode(result), done.used};
  return {stream.avail_out == 0 ? Code::SizeMismatch : Code::Truncated, done.used};
}

Status decodeXz(Workspace& work, ByteView in, ByteSpan out, LzmaDone& done, bool verifiesChecks) {
  lzma_stream* coder = lzmaStream(work);
  if (!coder) return Code::OutOfMemory;
  do {
    const ByteView rest = in.subspan(done.used);
    if (done.used > 0 && !isXz(rest)) return {Code::TrailingBytes, done.used};
    LzmaDone one;
    if (Status s = XzStream(*coder, rest, out.subspan(done.produced), verifiesChecks).decode(one)) {
      return {s.code, done.used + s.at};
    }
    done.used += one.used + paddingBytes(rest.subspan(one.used));
    done.produced += one.produced;
  } while (done.used < in.size());
  return {};
}

Status decodeLzmaAlone(Workspace& work, ByteView in, ByteSpan out, LzmaDone& done) {
  ByteReader reader(in);
  const uint32_t properties = reader.u8(), dictionary = reader.u32();
  const uint64_t size = reader.u64();
  if (!reader.ok()) return {Code::Truncated, in.size()};
  if (properties >= 9 * 5 * 5) return Code::BadHeader;
  const bool isSizeKnown = size != UINT64_MAX;
  if (isSizeKnown && size > out.size()) return {Code::SizeMismatch, 5};
  lzma_options_lzma options = {};
  options.dict_size = dictionary;
  options.lc = properties % 9;
  options.lp = properties / 9 % 5;
  options.pb = properties / 45;
  options.ext_flags = LZMA_LZMA1EXT_ALLOW_EOPM;
  lzma_set_ext_size(options, size);
  lzma_filter filters[] = {{LZMA_FILTER_LZMA1EXT, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
  if (Status s = decodeLzmaRaw(work, filters, in.subspan(kAloneHeader), out, done)) {
    return {s.code == Code::BadVersion ? Code::BadHeader : s.code, kAloneHeader + s.at};
  }
  done.used += kAloneHeader;
  return {};
}

Status decodeLzmaRaw(Workspace& work, lzma_filter* filters, ByteView in, ByteSpan out,
                     LzmaDone& done) {
  lzma_stream* coder = lzmaStream(work);
  if (!coder) return Code::OutOfMemory;
  capDictionaries(filters, out.size());
  if (const lzma_ret r = lzma_raw_decoder(coder, filters); r != LZMA_OK) return lzmaCode(r);
  if (Status s = runLzma(*coder, in, out, done)) return s;
  return done.used == in.size() ? Status{} : Status{Code::TrailingBytes, done.used};
}

}  // namespace zw

#endif  // ZW_RARE_CODECS
