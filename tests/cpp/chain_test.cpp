// Chains, compared with a slow oracle: bytes and transpose for every data type, permutations of
// unequal lengths, placements, wrong sizes, invalid plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "chain/run.hpp"
#include "plan_words.hpp"
#include "support.hpp"

namespace zw::test {
namespace {

constexpr uint32_t kLittle = 1;
constexpr uint32_t kBig = 2;
constexpr uint32_t kPerComponent = 3;

struct Core {
  StageBuffers stages;
  Workspace work;
};

/// Encodes element by element as specified: each transpose in turn, then the bytes of each
/// component in the given order.
Bytes slowEncode(const ChainSpec& spec, const Bytes& decoded) {
  std::vector<uint32_t> shape = spec.shape;
  Bytes data = decoded;
  const size_t item = spec.itemBytes;
  for (const CodecWords& codec : spec.codecs) {
    if (codec.id == CodecId::Transpose) {
      const std::vector<uint32_t>& order = codec.params;
      std::vector<uint32_t> to(shape.size());
      for (size_t i = 0; i < shape.size(); i++) to[i] = shape[order[i]];
      Bytes out(data.size());
      for (size_t flat = 0; flat < spec.itemCount(); flat++) {
        std::vector<size_t> b(to.size());
        size_t rest = flat;
        for (size_t i = to.size(); i-- > 0; rest /= to[i]) b[i] = rest % to[i];
        std::vector<size_t> a(shape.size());
        for (size_t i = 0; i < to.size(); i++) a[order[i]] = b[i];
        size_t from = 0;
        for (size_t i = 0; i < shape.size(); i++) from = from * shape[i] + a[i];
        std::copy_n(&data[from * item], item, &out[flat * item]);
      }
      data = out;
      shape = to;
    } else if (codec.id == CodecId::Bytes) {
      size_t at = 0;
      for (size_t i = 0; i < spec.itemCount(); i++) {
        for (size_t run = 0; run < spec.components.size(); run++) {
          const Component c = spec.components[run];
          const uint32_t endian =
              codec.params[0] == kPerComponent ? codec.params[1 + run] : codec.params[0];
          for (uint32_t k = 0; k < c.count; k++, at += c.bytes) {
            if (endian == kBig) std::reverse(&data[at], &data[at] + c.bytes);
          }
        }
      }
    }
  }
  return data;
}

Bytes decode(const Plan& plan, const Bytes& encoded, ChainStatus& status) {
  Core core;
  ExactBlock in(encoded);
  ExactBlock out(plan.array().bytes());
  ByteView result;
  status = decodeChunk(plan, in.view(), out.span(), core.stages, core.work, result);
  return Bytes(result.begin(), result.end());
}

Bytes encode(const Plan& plan, const Bytes& decoded, ChainStatus& status) {
  Core core;
  ExactBlock in(decoded);
  ExactBlock out(plan.encodedSize().bytes);
  ByteView result;
  status = encodeChunk(plan, in.view(), out.span(), core.stages, core.work, result);
  return Bytes(result.begin(), result.end());
}

void expectRoundTrip(const ChainSpec& spec) {
  Plan plan;
  ASSERT_EQ(plan.prepare(spec.words(), kDefaultMaxChunkBytes).status.code, Code::Ok);
  Bytes decoded = randomBytes(spec.bytes(), 7);
  if (spec.dtype == DTypeId::Bool) {
    for (uint8_t& byte : decoded) byte &= 1;
  }
  const Bytes expected = slowEncode(spec, decoded);
  ChainStatus status;
  EXPECT_EQ(encode(plan, decoded, status), expected);
  EXPECT_EQ(status.status.code, Code::Ok);
  EXPECT_EQ(decode(plan, expected, status), decoded);
  EXPECT_EQ(status.status.code, Code::Ok);
}

/// All permutations of 0 … rank-1.
std::vector<std::vector<uint32_t>> permutations(uint32_t rank) {
  std::vector<uint32_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<uint32_t>> all;
  do all.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));
  return all;
}

TEST(Chain, BooleansAreZeroAndOneBothWays) {
  for (const std::vector<uint32_t>& order : permutations(2)) {
    const ChainSpec spec = makeSpec(DTypeId::Bool, {5, 7}, {transposeCodec(order), bytesCodec(0)});
    Plan plan;
    ASSERT_EQ(plan.prepare(spec.words(), kDefaultMaxChunkBytes).status.code, Code::Ok);
    Bytes odd = randomBytes(spec.bytes(), 3), booleans(spec.bytes());
    for (size_t i = 0; i < odd.size(); i++) {
      if (i % 3 == 0) odd[i] = 0;
      booleans[i] = odd[i] != 0;
    }
    ChainStatus status;
    EXPECT_EQ(encode(plan, odd, status), slowEncode(spec, booleans));
    EXPECT_EQ(decode(plan, slowEncode(spec, odd), status), booleans);
    decode(plan, Bytes(spec.bytes() - 1), status);
    EXPECT_EQ(status.status.code, Code::SizeMismatch);
  }
}

TEST(Chain, EveryDataTypeInBothByteOrdersAndEveryPermutation) {
  const std::vector<std::vector<uint32_t>> shapes = {{}, {7}, {5, 3}, {2, 3, 4}, {3, 1, 5, 2}};
  for (uint32_t id = 0; const DTypeInfo* info = dtypeInfo(id); id++) {
    if (info->itemBytes == 0) continue;
    for (const auto& shape : shapes) {
      for (const auto& order : permutations(static_cast<uint32_t>(shape.size()))) {
        for (uint32_t endian : {kLittle, kBig}) {
          SCOPED_TRACE(std::string(info->name) + " endian " + std::to_string(endian));
          expectRoundTrip(makeSpec(static_cast<DTypeId>(id), shape,
                                   {transposeCodec(order), bytesCodec(endian)}));
        }
      }
    }
  }
}

TEST(Chain, TypesOfVariableWidth) {
  for (uint32_t bytes : {1u, 3u, 12u, 16u, 100u}) {
    expectRoundTrip(makeSpec(DTypeId::Raw, bytes, {4, 5}, {transposeCodec({1, 0}), bytesCodec(0)}));
    expectRoundTrip(makeSpec(DTypeId::FixedBytes, bytes, {3, 4, 2},
                             {transposeCodec({1, 2, 0}), bytesCodec(kBig)}));
    expectRoundTrip(makeSpec(DTypeId::FixedUtf32, 4 * bytes, {3, 4, 2},
                             {transposeCodec({2, 0, 1}), bytesCodec(kBig)}));
  }
}

TEST(Chain, StructsSwapFieldByField) {
  ChainSpec spec = makeSpec(DTypeId::Raw, 24, {5, 4}, {});
  spec.dtype = DTypeId::Struct;
  spec.components = {{1, 1}, {4, 2}, {1, 3}, {2, 2}, {8, 1}};
  for (const std::vector<uint32_t>& endians :
       {std::vector<uint32_t>{kPerComponent, 0, kLittle, 0, kBig, kBig},
        {kPerComponent, 0, kBig, 1, kBig, kBig},
        {kPerComponent, 0, kLittle, 0, kLittle, kLittle},
        {kBig},
        {kLittle}}) {
    spec.codecs = {transposeCodec({1, 0}), {CodecId::Bytes, endians}};
    expectRoundTrip(spec);
    spec.codecs = {{CodecId::Bytes, endians}};
    expectRoundTrip(spec);
  }
}

TEST(Chain, ChainedTransposesCompose) {
  for (const auto& first : permutations(3)) {
    for (const auto& second : permutations(3)) {
      expectRoundTrip(makeSpec(DTypeId::Uint16, {2, 3, 5},
                               {transposeCodec(first), transposeCodec(second), bytesCodec(kBig)}));
    }
  }
}

TEST(Chain, TransposeExampleOfTheSpecification) {
  // Elements 0 … 23 of shape (2, 3, 4), order [1, 2, 0]: stored as 0 12 1 13 2 14 …
  const ChainSpec spec =
      makeSpec(DTypeId::Uint8, {2, 3, 4}, {transposeCodec({1, 2, 0}), bytesCodec(0)});
  Plan plan;
  ASSERT_EQ(plan.prepare(spec.words(), 1000).status.code, Code::Ok);
  Bytes decoded(24);
  std::iota(decoded.begin(), decoded.end(), 0);
  ChainStatus status;
  const Bytes encoded = encode(plan, decoded, status);
  EXPECT_EQ(Bytes(encoded.begin(), encoded.begin() + 10),
            (Bytes{0, 12, 1, 13, 2, 14, 3, 15, 4, 16}));
}

TEST(Chain, RejectsShortAndLongChunks) {
  for (const auto& codecs : {std::vector<CodecWords>{bytesCodec(kLittle)},
                             {bytesCodec(kBig)},
                             {transposeCodec({1, 0}), bytesCodec(kBig)}}) {
    const ChainSpec spec = makeSpec(DTypeId::Int32, {3, 5}, codecs);
    Plan plan;
    ASSERT_EQ(plan.prepare(spec.words(), 1000).status.code, Code::Ok);
    for (size_t bytes = 0; bytes <= spec.bytes() + 1; bytes++) {
      ChainStatus status;
      decode(plan, randomBytes(bytes, 1), status);
      EXPECT_EQ(status.status.code, bytes == spec.bytes() ? Code::Ok : Code::SizeMismatch);
    }
  }
}

/// Decodes with a placement into a destination of 0xee bytes, and compares with a manual copy from
/// the decoded chunk, including the bytes that must not be written.
void expectPlaced(const Plan& plan, const Bytes& encoded, const Bytes& decoded,
                  const std::vector<PlacementAxis>& axes, size_t dstOffset, size_t dstBytes) {
  Core core;
  const uint32_t rank = plan.array().rank;
  const size_t item = plan.array().itemBytes;
  ExactBlock destination(Bytes(dstBytes, 0xee));
  const Placement placement{axes, dstOffset};
  ExactBlock in(encoded);
  ASSERT_EQ(decodePlaced(plan, in.view(), placement, destination.span(), core.stages, core.work)
                .status.code,
            Code::Ok);
  Bytes expected(dstBytes, 0xee);
  size_t count = 1;
  for (const PlacementAxis& axis : axes) count *= axis.count;
  for (size_t flat = 0; flat < count; flat++) {
    size_t rest = flat;
    size_t from = 0;
    size_t to = dstOffset;
    size_t stride = 1;
    for (uint32_t i = rank; i-- > 0; rest /= axes[i].count) {
      const size_t k = rest % axes[i].count;
      from += (axes[i].start + axes[i].step * k) * stride;
      to += axes[i].dstStride * k;
      stride *= plan.array().shape[i];
    }
    std::copy_n(&decoded[from * item], item, &expected[to]);
  }
  EXPECT_EQ(destination.copy(), expected);
}

TEST(Chain, PlacementsCropStrideAndPlace) {
  for (DTypeId dtype : {DTypeId::Uint8, DTypeId::Int16, DTypeId::Float32, DTypeId::Complex128}) {
    const uint32_t item = dtypeInfo(static_cast<uint32_t>(dtype))->itemBytes;
    for (const auto& order : permutations(3)) {
      const ChainSpec spec = makeSpec(dtype, {6, 5, 7}, {transposeCodec(order), bytesCodec(kBig)});
      Plan plan;
      ASSERT_EQ(plan.prepare(spec.words(), 10000).status.code, Code::Ok);
      const Bytes decoded = randomBytes(spec.bytes(), 3);
      const Bytes encoded = slowEncode(spec, decoded);
      // whole, cropped, strided, a single element, nothing
      expectPlaced(plan, encoded, decoded,
                   {{0, 1, 6, 35 * item}, {0, 1, 5, 7 * item}, {0, 1, 7, item}}, 0, 210 * item);
      expectPlaced(plan, encoded, decoded,
                   {{1, 1, 3, 90 * item}, {2, 1, 3, 9 * item}, {3, 1, 4, item}}, 5 * item,
                   300 * item);
      expectPlaced(plan, encoded, decoded,
                   {{0, 5, 2, 50 * item}, {1, 3, 2, 20 * item}, {0, 2, 4, item}}, item, 100 * item);
      expectPlaced(plan, encoded, decoded, {{5, 99, 1, 0}, {4, 1, 1, 0}, {6, 1, 1, 0}}, 3,
                   3 + item);
      expectPlaced(plan, encoded, decoded, {{0, 1, 0, 1}, {0, 1, 5, 1}, {0, 1, 7, 1}}, 0, 4);
    }
  }
}

/// Encodes from a placement, and compares with a chunk that is filled and assembled element by
/// element, then encoded as a whole.
void expectEncodedPlaced(const Plan& plan, const Bytes& source,
                         const std::vector<PlacementAxis>& axes, size_t offset) {
  Core core;
  const uint32_t rank = plan.array().rank;
  const size_t item = plan.array().itemBytes;
  Bytes chunk(plan.array().bytes());
  for (size_t at = 0; at < chunk.size(); at += item) std::copy_n(plan.fillItem(), item, &chunk[at]);
  size_t count = 1;
  for (const PlacementAxis& axis : axes) count *= axis.count;
  bool isFill = true;
  for (size_t flat = 0; flat < count; flat++) {
    size_t rest = flat;
    size_t to = 0;
    size_t from = offset;
    size_t stride = 1;
    for (uint32_t i = rank; i-- > 0; rest /= axes[i].count) {
      const size_t k = rest % axes[i].count;
      to += (axes[i].start + axes[i].step * k) * stride;
      from += axes[i].dstStride * k;
      stride *= plan.array().shape[i];
    }
    isFill = isFill && std::equal(plan.fillItem(), plan.fillItem() + item, &source[from]);
    std::copy_n(&source[from], item, &chunk[to * item]);
  }
  ChainStatus status;
  const Bytes expected = encode(plan, chunk, status);
  ASSERT_EQ(status.status.code, Code::Ok);
  const ExactBlock in(source);
  ExactBlock out(Bytes(plan.encodedSize().bytes, 0xee));
  ByteView result;
  const Placement placement{axes, offset};
  ASSERT_EQ(encodePlaced(plan, in.view(), placement, out.span(), core.stages, core.work, result)
                .status.code,
            Code::Ok);
  EXPECT_EQ(Bytes(result.begin(), result.end()), expected);
  bool found = !isFill;
  ASSERT_EQ(isFillPlaced(plan, placement, in.view(), found).code, Code::Ok);
  EXPECT_EQ(found, isFill);
}

TEST(Chain, EncodesFromPlacements) {
  for (DTypeId dtype : {DTypeId::Uint8, DTypeId::Int16, DTypeId::Float32, DTypeId::Complex128}) {
    const uint32_t item = dtypeInfo(static_cast<uint32_t>(dtype))->itemBytes;
    for (const auto& order : permutations(3)) {
      for (const bool withChecksum : {false, true}) {
        for (uint32_t endian : {kLittle, kBig}) {
          ChainSpec spec = makeSpec(dtype, {6, 5, 7}, {transposeCodec(order), bytesCodec(endian)});
          if (withChecksum) spec.codecs.push_back({CodecId::Crc32c, {1}});
          spec.fill = randomBytes(item, 9);
          Plan plan;
          ASSERT_EQ(plan.prepare(spec.words(), 10000).status.code, Code::Ok);
          const Bytes source = randomBytes(400 * item, 4);
          // whole, the edge of an array, steps, one element repeated, a single element, nothing
          expectEncodedPlaced(plan, source,
                              {{0, 1, 6, 35 * item}, {0, 1, 5, 7 * item}, {0, 1, 7, item}}, item);
          expectEncodedPlaced(plan, source,
                              {{0, 1, 4, 90 * item}, {0, 1, 3, 9 * item}, {0, 1, 5, item}}, 0);
          expectEncodedPlaced(plan, source,
                              {{1, 2, 2, 50 * item}, {1, 3, 2, 20 * item}, {0, 2, 4, item}}, item);
          expectEncodedPlaced(plan, source, {{0, 1, 6, 0}, {0, 1, 5, 0}, {0, 1, 7, 0}}, 3 * item);
          expectEncodedPlaced(plan, source, {{5, 99, 1, 0}, {4, 1, 1, 0}, {6, 1, 1, 0}}, item);
          expectEncodedPlaced(plan, source, {{0, 1, 0, 1}, {0, 1, 5, 1}, {0, 1, 7, 1}}, 0);
          // fill value, except for the last element
          Bytes filled;
          for (int i = 0; i < 210; i++)
            filled.insert(filled.end(), spec.fill.begin(), spec.fill.end());
          const std::vector<PlacementAxis> whole = {
              {0, 1, 6, 35 * item}, {0, 1, 5, 7 * item}, {0, 1, 7, item}};
          expectEncodedPlaced(plan, filled, whole, 0);
          expectEncodedPlaced(plan, filled,
                              {{0, 1, 3, 70 * item}, {0, 1, 5, 7 * item}, {0, 1, 7, item}}, 0);
          filled.back() ^= 1;
          expectEncodedPlaced(plan, filled, whole, 0);
        }
      }
    }
  }
}

TEST(Chain, FillsThePlacedElements) {
  ChainSpec spec = makeSpec(DTypeId::Int16, {4, 5}, {bytesCodec(kBig)});
  spec.fill = {0x34, 0x12};
  Plan plan;
  ASSERT_EQ(plan.prepare(spec.words(), 1000).status.code, Code::Ok);
  const std::vector<PlacementAxis> axes = {{1, 1, 2, 8}, {0, 2, 3, 2}};
  ExactBlock destination(Bytes(20, 0xee));
  ASSERT_EQ(fillPlaced(plan, {axes, 2}, destination.span()).code, Code::Ok);
  EXPECT_EQ(destination.copy(),
            (Bytes{0xee, 0xee, 0x34, 0x12, 0x34, 0x12, 0x34, 0x12, 0xee, 0xee,
                   0x34, 0x12, 0x34, 0x12, 0x34, 0x12, 0xee, 0xee, 0xee, 0xee}));
}

struct BadPlan {
  const char* what;
  ChainSpec spec;
  Code code;
  uint32_t step = kNoStep;
};

TEST(Plan, RejectsInvalidChains) {
  auto with = [](std::vector<CodecWords> codecs) {
    return makeSpec(DTypeId::Int16, {4, 5}, std::move(codecs));
  };
  ChainSpec noItem = with({bytesCodec(kLittle)});
  noItem.itemBytes = 0;
  ChainSpec wrongItem = with({bytesCodec(kLittle)});
  wrongItem.itemBytes = 4;
  ChainSpec wrongRuns = with({bytesCodec(kLittle)});
  wrongRuns.components = {{1, 2}};
  ChainSpec shortRuns = makeSpec(DTypeId::Raw, 5, {3}, {bytesCodec(0)});
  shortRuns.components = {{1, 4}};
  ChainSpec zeroLength = with({bytesCodec(kLittle)});
  zeroLength.shape = {4, 0};
  ChainSpec tooLarge = with({bytesCodec(kLittle)});
  tooLarge.shape = {0xffffffff, 0xffffffff, 0xffffffff};
  ChainSpec tooManyAxes = with({bytesCodec(kLittle)});
  tooManyAxes.shape.assign(65, 1);
  ChainSpec tooManyCodecs = with({});
  tooManyCodecs.codecs.assign(65, transposeCodec({0, 1}));
  const std::vector<BadPlan> table = {
      {"no codecs", with({}), Code::BadOrder},
      {"only transpose", with({transposeCodec({1, 0})}), Code::BadOrder},
      {"transpose after bytes", with({bytesCodec(kLittle), transposeCodec({1, 0})}), Code::BadOrder,
       1},
      {"bytes twice", with({bytesCodec(kLittle), bytesCodec(kLittle)}), Code::BadOrder, 1},
      {"compressor first", with({{CodecId::Zlib, {1}}}), Code::BadOrder, 0},
      {"repeated axis", with({transposeCodec({1, 1}), bytesCodec(kLittle)}), Code::BadPermutation,
       0},
      {"axis out of range", with({transposeCodec({0, 2}), bytesCodec(kLittle)}),
       Code::BadPermutation, 0},
      {"negative axis", with({transposeCodec({0, 0xffffffff}), bytesCodec(kLittle)}),
       Code::BadPermutation, 0},
      {"axis missing", with({transposeCodec({0}), bytesCodec(kLittle)}), Code::BadPermutation, 0},
      {"axis too many", with({transposeCodec({0, 1, 2}), bytesCodec(kLittle)}),
       Code::BadPermutation, 0},
      {"no endian", with({bytesCodec(0)}), Code::MissingEndian, 0},
      {"unknown endian", with({bytesCodec(7)}), Code::BadParameters, 0},
      {"bytes without parameters", with({{CodecId::Bytes, {}}}), Code::BadParameters, 0},
      {"unknown codec", with({{static_cast<CodecId>(250), {}}}), Code::UnknownCodec, 0},
      {"no item bytes", noItem, Code::BadPlan},
      {"item bytes of another type", wrongItem, Code::BadPlan},
      {"components of another width", wrongRuns, Code::BadPlan},
      {"components short of the item", shortRuns, Code::BadPlan},
      {"an axis of length 0", zeroLength, Code::BadPlan},
      {"a product that overflows", tooLarge, Code::LimitExceeded},
      {"65 axes", tooManyAxes, Code::LimitExceeded},
      {"65 codecs", tooManyCodecs, Code::LimitExceeded},
  };
  for (const BadPlan& row : table) {
    Plan plan;
    const ChainStatus status = plan.prepare(row.spec.words(), kDefaultMaxChunkBytes);
    EXPECT_EQ(status.status.code, row.code) << row.what;
    EXPECT_EQ(status.step, row.step) << row.what;
  }
}

TEST(BytesOnly, AnyNumberOfBytesUpToTheBound) {
  const std::vector<std::vector<CodecWords>> chains = {
      {},
      {{CodecId::Zlib, {1}}},
      {{CodecId::Lz4, {1}}, {CodecId::Zstd, {1, 1}}},
      {{CodecId::Blosc, {1, 5, 1, 4, 0, 0}}, {CodecId::Gzip, {1}}},
      {{CodecId::Bz2, {1}}, {CodecId::Zlib, {1}}, {CodecId::Lzma, {1, 0xffffffff, 0xffffffff}}},
  };
  constexpr uint32_t kBound = 5000;
  for (const auto& codecs : chains) {
    Plan plan;
    ASSERT_EQ(plan.prepare(bytesOnlySpec(kBound, codecs).words(), 1 << 20).status.code, Code::Ok);
    EXPECT_TRUE(plan.isBytesOnly());
    Plan larger;
    ASSERT_EQ(larger.prepare(bytesOnlySpec(2 * kBound, codecs).words(), 1 << 20).status.code,
              Code::Ok);
    for (size_t size : {0, 1, 15, 16, 17, 1000, 4095, 4999, 5000}) {
      const Bytes bytes = smoothBytes(size, 1);
      ChainStatus status;
      const Bytes encoded = encode(plan, bytes, status);
      ASSERT_EQ(status.status.code, Code::Ok) << size;
      EXPECT_EQ(decode(plan, encoded, status), bytes);
      EXPECT_EQ(status.status.code, Code::Ok) << size;
      EXPECT_EQ(decode(larger, encoded, status), bytes);
    }
    for (size_t size : {kBound + 1, 2 * kBound}) {
      const Bytes bytes = smoothBytes(size, 2);
      ChainStatus status;
      encode(plan, bytes, status);
      EXPECT_EQ(status.status.code, Code::LimitExceeded);
      const Bytes encoded = encode(larger, bytes, status);
      ASSERT_EQ(status.status.code, Code::Ok);
      decode(plan, encoded, status);
      EXPECT_EQ(status.status.code, Code::LimitExceeded) << codecs.size();
    }
  }
}

TEST(SkipChecksums, IgnoresChecksumsButChecksSizes) {
  const std::vector<CodecWords> chains[] = {
      {{CodecId::Crc32c, {1}}}, {{CodecId::Adler32, {0}}}, {{CodecId::Fletcher32, {1}}},
      {{CodecId::Gzip, {1}}},   {{CodecId::Zlib, {1}}},    {{CodecId::Zstd, {1, 1}}},
  };
  const Bytes bytes = smoothBytes(1000, 3);
  for (const auto& codecs : chains) {
    ChainSpec spec = bytesOnlySpec(1000, codecs);
    Plan strict, lax;
    ASSERT_EQ(strict.prepare(spec.words(), 1 << 20).status.code, Code::Ok);
    spec.flags |= kSkipChecksums;
    ASSERT_EQ(lax.prepare(spec.words(), 1 << 20).status.code, Code::Ok);
    ChainStatus status;
    Bytes encoded = encode(strict, bytes, status);
    const bool atStart = codecs[0].id == CodecId::Adler32;
    const bool sizeBehind = codecs[0].id == CodecId::Gzip;
    encoded[atStart ? 0 : encoded.size() - (sizeBehind ? 5 : 1)] ^= 0x10;
    decode(strict, encoded, status);
    EXPECT_EQ(status.status.code, Code::ChecksumMismatch) << codecName(uint32_t(codecs[0].id));
    EXPECT_EQ(decode(lax, encoded, status), bytes) << codecName(uint32_t(codecs[0].id));
    encoded.push_back(0);
    decode(lax, encoded, status);
    EXPECT_NE(status.status.code, Code::Ok) << codecName(uint32_t(codecs[0].id));
  }
}

TEST(BytesOnly, RejectsOtherArrays) {
  const auto prepareCode = [](ChainSpec spec, uint32_t flags) {
    spec.flags = flags;
    Plan plan;
    return plan.prepare(spec.words(), 1000).status.code;
  };
  const std::vector<CodecWords> none, bytes = {bytesCodec(0)}, turned = {transposeCodec({0})};
  EXPECT_EQ(prepareCode(makeSpec(DTypeId::Uint8, {9}, none), 1), Code::Ok);
  EXPECT_EQ(prepareCode(makeSpec(DTypeId::Uint8, {9}, none), 0), Code::BadOrder);
  EXPECT_EQ(prepareCode(makeSpec(DTypeId::Uint8, {9}, none), 4), Code::BadPlan);
  EXPECT_EQ(prepareCode(makeSpec(DTypeId::Uint8, {9}, none), 5), Code::BadPlan);
  EXPECT_EQ(prepareCode(makeSpec(DTypeId::Uint8, {9}, bytes), 1), Code::BadOrder);
  EXPECT_EQ(prepareCode(makeSpec(DTypeId::Uint8, {9}, turned), 1), Code::BadOrder);
  EXPECT_EQ(prepareCode(makeSpec(DTypeId::Int8, {9}, none), 1), Code::BadPlan);
  EXPECT_EQ(prepareCode(makeSpec(DTypeId::Uint8, {}, none), 1), Code::BadPlan);
  EXPECT_EQ(prepareCode(makeSpec(DTypeId::Uint8, {3, 3}, none), 1), Code::BadPlan);
  EXPECT_EQ(prepareCode(makeSpec(DTypeId::Uint8, {0}, none), 1), Code::BadPlan);
  EXPECT_EQ(prepareCode(makeSpec(DTypeId::Uint8, {1001}, none), 1), Code::LimitExceeded);
}

TEST(Plan, RejectsTruncatedAndExtendedWords) {
  const ChainSpec spec =
      makeSpec(DTypeId::Complex64, {3, 4, 5},
               {transposeCodec({1, 2, 0}), bytesCodec(kBig), {CodecId::Zlib, {1}}});
  const std::vector<uint32_t> words = spec.words();
  for (size_t n = 0; n < words.size(); n++) {
    Plan plan;
    const std::vector<uint32_t> prefix(words.begin(), words.begin() + static_cast<ptrdiff_t>(n));
    EXPECT_TRUE(static_cast<bool>(plan.prepare(prefix, kDefaultMaxChunkBytes))) << n << " words";
  }
  std::vector<uint32_t> longer = words;
  longer.push_back(0);
  Plan plan;
  EXPECT_EQ(plan.prepare(longer, kDefaultMaxChunkBytes).status.code, Code::BadPlan);
}

TEST(Plan, EveryWordMayBeHostile) {
  const ChainSpec spec =
      makeSpec(DTypeId::Complex64, {3, 4, 5},
               {transposeCodec({1, 2, 0}), bytesCodec(kBig), {CodecId::Zlib, {1}}});
  const std::vector<uint32_t> words = spec.words();
  for (size_t i = 0; i < words.size(); i++) {
    for (uint32_t value :
         {0u, 1u, 2u, 63u, 64u, 65u, 255u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
      std::vector<uint32_t> changed = words;
      changed[i] = value;
      Plan plan;
      const ChainStatus status = plan.prepare(changed, 1 << 20);  // must not crash
      if (!status) {
        EXPECT_LE(plan.array().bytes(), size_t{1} << 20);
      }
    }
  }
}

}  // namespace
}  // namespace zw::test
