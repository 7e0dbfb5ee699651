// zfp: exact in reversible mode, within the tolerance in lossy modes, and never outside the
// buffers. If LLNL's library is installed, streams and elements are compared bit by bit; otherwise
// with recorded values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "codec_support.hpp"
#include "kernels/crc32.hpp"

#ifdef ZW_HAVE_SYSTEM_ZFP
#include <zfp.h>
#endif

namespace zw::test {
namespace {

struct Array {
  DTypeId dtype;
  std::vector<uint32_t> shape;
};

struct Mode {
  std::string name;
  uint32_t minBits, maxBits, maxPrecision;
  int32_t minExponent;
};

const Mode kReversible = {"reversible", 1, 16658, 64, -1075};

Mode precisionMode(uint32_t bits) {
  return {"precision" + std::to_string(bits), 1, 16658, bits, -1074};
}
Mode accuracyMode(int exponent) {
  return {"accuracy" + std::to_string(exponent), 1, 16658, 64, exponent};
}
Mode rateMode(uint32_t bitsPerBlock) {
  return {"rate" + std::to_string(bitsPerBlock), bitsPerBlock, bitsPerBlock, 64, -1074};
}

/// Modes for blocks of 4^dims elements.
std::vector<Mode> modesFor(size_t dims) {
  const uint32_t size = 1u << (2 * dims);
  return {kReversible,
          precisionMode(1),
          precisionMode(17),
          precisionMode(64),
          accuracyMode(-1074),
          accuracyMode(-10),
          accuracyMode(3),
          accuracyMode(900),
          rateMode(4 * size + 13),
          rateMode(33 * size),
          {"expert", 7, 9 * size + 60, 21, -30},
          {"expert_reversible", 1, 12 * size + 60, 64, -2000}};
}

std::vector<uint32_t> makeParams(const Mode& mode, bool header) {
  return {header, mode.minBits, mode.maxBits, mode.maxPrecision,
          static_cast<uint32_t>(mode.minExponent)};
}

/// Prepares a step; `params` must outlive it.
Status prepareArray(const Array& array, const std::vector<uint32_t>& params, Step& step) {
  static const Component component = {1, 1};
  step.codec = &kZfpCodec;
  step.params = params;
  ArrayInfo& info = step.decodedArray;
  info.dtype = array.dtype;
  info.itemBytes = dtypeInfo(static_cast<uint32_t>(array.dtype))->itemBytes;
  info.rank = static_cast<uint32_t>(array.shape.size());
  info.itemCount = 1;
  info.components = {&component, 1};
  for (size_t i = 0; i < array.shape.size(); i++) {
    info.shape[i] = array.shape[i];
    info.itemCount *= array.shape[i];
  }
  step.decoded = {info.bytes(), true};
  return step.codec->prepare(step);
}

size_t arrayBytes(const Array& array) {
  size_t bytes = dtypeInfo(static_cast<uint32_t>(array.dtype))->itemBytes;
  for (uint32_t length : array.shape) bytes *= length;
  return bytes;
}

Outcome decodeArray(const Array& array, const std::vector<uint32_t>& params, const Bytes& encoded) {
  Step step;
  Outcome outcome;
  outcome.status = prepareArray(array, params, step);
  if (outcome.status) return outcome;
  const ExactBlock in(encoded);
  ExactBlock out(step.decoded.bytes);
  Workspace work;
  ByteView result;
  outcome.status = step.codec->decode(step, in.view(), out.span(), work, result);
  if (outcome.ok()) outcome.bytes.assign(result.begin(), result.end());
  return outcome;
}

Outcome encodeArray(const Array& array, const std::vector<uint32_t>& params, const Bytes& bytes) {
  Step step;
  Outcome outcome;
  outcome.status = prepareArray(array, params, step);
  if (outcome.status) return outcome;
  const ExactBlock in(bytes);
  ExactBlock out(step.encoded.bytes);
  Workspace work;
  ByteView result;
  outcome.status = step.codec->encode(step, in.view(), out.span(), work, result);
  if (outcome.ok()) outcome.bytes.assign(result.begin(), result.end());
  return outcome;
}

template <class T>
Bytes asBytes(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Test data: a noisy wave, noise in all bits, zeros, a spike, a few special values.
template <class T>
std::vector<std::vector<T>> testValues(size_t count, uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<T>> all(5, std::vector<T>(count, T{0}));
  for (size_t i = 0; i < count; i++) {
    const double noise = static_cast<double>(random() % 1000) / 1000;
    const double wave = 60 * std::sin(static_cast<double>(i) / 7) + noise + 61;
    all[0][i] = static_cast<T>(wave);
    if constexpr (std::is_floating_point_v<T>) {
      all[1][i] = static_cast<T>(std::ldexp(noise - 0.5, static_cast<int>(random() % 60) - 30));
      const T odd[] = {
          T(-0.0),  T(1), T(0.1), std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
          T(-3e-20)};
      all[4][i] = i % 37 == 0 ? odd[random() % 6] : T(0);
    } else {
      all[1][i] = static_cast<T>(random());
      const T odd[] = {T(0),  T(1), std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
                       T(77), T(-3)};
      all[4][i] = odd[random() % 6];
    }
    // Only the lower half of unsigned types that are as wide as the integers in blocks.
    if constexpr (std::is_unsigned_v<T> && sizeof(T) >= 4) {
      for (auto& values : all) values[i] &= std::numeric_limits<T>::max() / 2;
    }
  }
  all[3][count / 2] = T(5);
  return all;
}

const std::vector<std::vector<uint32_t>>& shapes() {
  static const std::vector<std::vector<uint32_t>> all = {
      {1},         {2},          {3},          {4},         {5},       {250},
      {1, 1},      {4, 4},       {5, 7},       {31, 18},    {4, 4, 4}, {3, 6, 9},
      {13, 2, 10}, {4, 4, 4, 4}, {2, 3, 5, 7}, {1, 9, 1, 6}};
  return all;
}

template <class T>
struct TypeName {
  using Type = T;
  DTypeId dtype;
};

/// Calls `f(TypeName)` for each element type of arrays.
template <class F>
void eachType(F f) {
  f(TypeName<int8_t>{DTypeId::Int8});
  f(TypeName<uint8_t>{DTypeId::Uint8});
  f(TypeName<int16_t>{DTypeId::Int16});
  f(TypeName<uint16_t>{DTypeId::Uint16});
  f(TypeName<int32_t>{DTypeId::Int32});
  f(TypeName<uint32_t>{DTypeId::Uint32});
  f(TypeName<int64_t>{DTypeId::Int64});
  f(TypeName<uint64_t>{DTypeId::Uint64});
  f(TypeName<float>{DTypeId::Float32});
  f(TypeName<double>{DTypeId::Float64});
}

bool isHeaderType(DTypeId dtype) {
  return dtype == DTypeId::Int32 || dtype == DTypeId::Int64 || dtype == DTypeId::Float32 ||
         dtype == DTypeId::Float64;
}

TEST(Zfp, ReversibleIsExact) {
  std::vector<std::vector<uint32_t>> all = shapes();
  all.push_back({});
  eachType([&](auto name) {
    using T = typename decltype(name)::Type;
    for (const auto& shape : all) {
      const Array array = {name.dtype, shape};
      for (auto& values : testValues<T>(arrayBytes(array) / sizeof(T), 1)) {
        if constexpr (std::is_floating_point_v<T>) {
          if (values.size() > 20) {
            values[3] = std::numeric_limits<T>::infinity();
            values[7] = std::numeric_limits<T>::quiet_NaN();
            values[19] = std::numeric_limits<T>::denorm_min();
          }
        }
        const Bytes bytes = asBytes(values);
        for (bool header : {false, true}) {
          if (header && (!isHeaderType(name.dtype) || shape.empty())) continue;
          const auto params = makeParams(kReversible, header);
          const Outcome encoded = encodeArray(array, params, bytes);
          ASSERT_TRUE(encoded.ok()) << codeName(encoded.status);
          const Outcome decoded = decodeArray(array, params, encoded.bytes);
          ASSERT_TRUE(decoded.ok()) << codeName(decoded.status);
          ASSERT_EQ(decoded.bytes, bytes);
        }
      }
    }
  });
}

#ifdef ZW_HAVE_SYSTEM_ZFP

/// Runs LLNL's library on an array.
class Oracle {
 public:
  Oracle(const Array& array, const Mode& mode, Bytes& elements)
      : stream_(zfp_stream_open(nullptr)) {
    std::vector<uint32_t> n(array.shape.rbegin(), array.shape.rend());
    const zfp_type type = array.dtype == DTypeId::Int32     ? zfp_type_int32
                          : array.dtype == DTypeId::Int64   ? zfp_type_int64
                          : array.dtype == DTypeId::Float32 ? zfp_type_float
                                                            : zfp_type_double;
    void* const data = elements.data();
    field_ = n.size() == 1   ? zfp_field_1d(data, type, n[0])
             : n.size() == 2 ? zfp_field_2d(data, type, n[0], n[1])
             : n.size() == 3 ? zfp_field_3d(data, type, n[0], n[1], n[2])
                             : zfp_field_4d(data, type, n[0], n[1], n[2], n[3]);
    zfp_stream_set_params(stream_, mode.minBits, mode.maxBits, mode.maxPrecision, mode.minExponent);
  }
  ~Oracle() {
    zfp_field_free(field_);
    zfp_stream_close(stream_);
  }

  Bytes encode(bool header) {
    Bytes out(zfp_stream_maximum_size(stream_, field_) + 8);
    bitstream* const bits = stream_open(out.data(), out.size());
    zfp_stream_set_bit_stream(stream_, bits);
    if (header) zfp_write_header(stream_, field_, ZFP_HEADER_FULL);
    out.resize(zfp_compress(stream_, field_));
    stream_close(bits);
    return out;
  }
  /// Decodes into the elements passed to the constructor.
  bool decode(Bytes encoded, bool header) {
    bitstream* const bits = stream_open(encoded.data(), encoded.size());
    zfp_stream_set_bit_stream(stream_, bits);
    if (header) zfp_read_header(stream_, field_, ZFP_HEADER_FULL);
    const bool done = zfp_decompress(stream_, field_) > 0;
    stream_close(bits);
    return done;
  }

 private:
  zfp_stream* stream_;
  zfp_field* field_;
};

#endif  // ZW_HAVE_SYSTEM_ZFP

/// Element i of the recorded arrays.
template <class T>
T rampAt(size_t i) {
  return static_cast<T>((i * i * 7 + i * 13) % 120) / (std::is_floating_point_v<T> ? T(8) : T(1));
}

TEST(Zfp, KnownStreams) {
  // All shapes in three modes with a header, checked by two CRC-32s per type: of the streams and of
  // the decoded elements. Recorded with LLNL's zfp 1.0.0, padded to 64 bits.
  struct Row {
    DTypeId dtype;
    uint32_t streams, elements;
  };
  const Row rows[] = {{DTypeId::Int32, 0xd28b593b, 0xd8fa97aa},
                      {DTypeId::Int64, 0xe51291cf, 0x6db8ce65},
                      {DTypeId::Float32, 0x6f707ca2, 0x544e0c68},
                      {DTypeId::Float64, 0xcf3d4bac, 0xa9cce9ef}};
  size_t checked = 0;
  eachType([&](auto name) {
    using T = typename decltype(name)::Type;
    const auto row = std::find_if(std::begin(rows), std::end(rows),
                                  [&](const Row& r) { return r.dtype == name.dtype; });
    if (row == std::end(rows)) return;
    uint32_t streams = 0, elements = 0;
    for (const auto& shape : shapes()) {
      const Array array = {name.dtype, shape};
      std::vector<T> values(arrayBytes(array) / sizeof(T));
      for (size_t i = 0; i < values.size(); i++) values[i] = rampAt<T>(i);
      const uint32_t size = 1u << (2 * shape.size());
      for (const Mode& mode : {kReversible, precisionMode(11), rateMode(6 * size + 13)}) {
        const Bytes encoded = encodeArray(array, makeParams(mode, true), asBytes(values)).bytes;
        streams = crc32(streams, encoded.data(), encoded.size());
        const Bytes decoded = decodeArray(array, makeParams(mode, true), encoded).bytes;
        elements = crc32(elements, decoded.data(), decoded.size());
#ifdef ZW_HAVE_SYSTEM_ZFP
        Bytes copy = asBytes(values);
        Bytes theirs = Oracle(array, mode, copy).encode(true);
        theirs.resize(encoded.size());
        ASSERT_EQ(encoded, theirs);
#endif
      }
    }
    EXPECT_EQ(streams, row->streams) << int(name.dtype);
    EXPECT_EQ(elements, row->elements) << int(name.dtype);
    checked++;
  });
  EXPECT_EQ(checked, std::size(rows));
}

TEST(Zfp, AccuracyIsKept) {
  for (const auto& shape : shapes()) {
    const Array array = {DTypeId::Float64, shape};
    const auto values = testValues<double>(arrayBytes(array) / 8, 2)[0];
    for (int exponent : {-30, -10, 0, 3}) {
      const auto params = makeParams(accuracyMode(exponent), true);
      const Outcome decoded =
          decodeArray(array, params, encodeArray(array, params, asBytes(values)).bytes);
      ASSERT_TRUE(decoded.ok());
      for (size_t i = 0; i < values.size(); i++) {
        ASSERT_NEAR(load<double>(&decoded.bytes[8 * i]), values[i], std::ldexp(1.0, exponent));
      }
    }
  }
}

TEST(Zfp, FixedRateHasAFixedSize) {
  const Array array = {DTypeId::Float32, {31, 18}};
  const auto params = makeParams(rateMode(16 * 12), false);
  for (const auto& values : testValues<float>(31 * 18, 3)) {
    EXPECT_EQ(encodeArray(array, params, asBytes(values)).bytes.size(), 8u * 5 * 192 / 8);
  }
}

TEST(Zfp, RejectsUnsignedValuesBeyondTheSignedRange) {
  const Array array = {DTypeId::Uint32, {8}};
  const auto params = makeParams(kReversible, false);
  EXPECT_TRUE(encodeArray(array, params, asBytes(std::vector<uint32_t>(8, 0x7fffffff))).ok());
  EXPECT_EQ(encodeArray(array, params, asBytes(std::vector<uint32_t>(8, 0x80000000))).status.code,
            Code::EncodeFailed);
}

TEST(Zfp, PrefixesAndLongerStreams) {
  for (const Mode& mode : modesFor(2)) {
    const Array array = {DTypeId::Float32, {13, 10}};
    const Bytes bytes = asBytes(testValues<float>(130, 4)[0]);
    for (bool header : {false, true}) {
      const auto params = makeParams(mode, header);
      const Bytes encoded = encodeArray(array, params, bytes).bytes;
      const Bytes whole = decodeArray(array, params, encoded).bytes;
      ASSERT_EQ(whole.size(), bytes.size());
      for (size_t size = 0; size < encoded.size(); size++) {
        const Bytes prefix(encoded.begin(), encoded.begin() + static_cast<ptrdiff_t>(size));
        const Outcome outcome = decodeArray(array, params, prefix);
        // Padding at the end may be missing: zfp can be built to write less.
        if (outcome.ok()) {
          ASSERT_GT(size + 8, encoded.size());
          ASSERT_EQ(outcome.bytes, whole);
        }
      }
      for (const Bytes& extra : {Bytes{0}, Bytes{1}, Bytes{255}}) {
        EXPECT_EQ(decodeArray(array, params, joined(encoded, extra)).status.code,
                  Code::TrailingBytes);
      }
      Bytes dirty = encoded;
      dirty.back() |= 0x80;
      if (mode.minBits != mode.maxBits && dirty != encoded) {
        EXPECT_FALSE(decodeArray(array, params, dirty).ok()) << mode.name;
      }
    }
  }
}

TEST(Zfp, ChangedStreams) {
  std::mt19937 random(5);
  eachType([&](auto name) {
    using T = typename decltype(name)::Type;
    for (const std::vector<uint32_t>& shape :
         {std::vector<uint32_t>{50}, {9, 6}, {3, 6, 9}, {2, 3, 5, 7}}) {
      const Array array = {name.dtype, shape};
      const Bytes bytes = asBytes(testValues<T>(arrayBytes(array) / sizeof(T), 6)[0]);
      for (const Mode& mode : modesFor(shape.size())) {
        const bool header = isHeaderType(name.dtype) && random() % 2;
        const auto params = makeParams(mode, header);
        const Bytes encoded = encodeArray(array, params, bytes).bytes;
        ASSERT_FALSE(encoded.empty());
        for (int i = 0; i < 30; i++) {
          Bytes changed = encoded;
          for (uint32_t flips = 1 + static_cast<uint32_t>(random() % 4); flips > 0; flips--) {
            changed[random() % changed.size()] = static_cast<uint8_t>(random());
          }
          const Outcome outcome = decodeArray(array, params, changed);
          if (outcome.ok()) {
            EXPECT_EQ(outcome.bytes.size(), bytes.size());
          }
        }
        const Bytes noise = randomBytes(encoded.size(), static_cast<uint32_t>(random()));
        decodeArray(array, params, noise);
      }
    }
  });
}

TEST(Zfp, HeadersMustAgreeWithTheArray) {
  const Array array = {DTypeId::Float32, {6, 10}};
  const auto params = makeParams(kReversible, true);
  const Bytes bytes = asBytes(testValues<float>(60, 7)[0]);
  const Bytes encoded = encodeArray(array, params, bytes).bytes;
  const auto codeFor = [&](const Array& other) {
    return decodeArray(other, params, encoded).status.code;
  };
  EXPECT_EQ(codeFor(array), Code::Ok);
  EXPECT_EQ(codeFor({DTypeId::Int32, {6, 10}}), Code::BadHeader);
  EXPECT_EQ(codeFor({DTypeId::Float64, {6, 10}}), Code::BadHeader);
  EXPECT_EQ(codeFor({DTypeId::Float32, {10, 6}}), Code::SizeMismatch);
  EXPECT_EQ(codeFor({DTypeId::Float32, {60}}), Code::SizeMismatch);
  EXPECT_EQ(codeFor({DTypeId::Float32, {6, 10, 1}}), Code::SizeMismatch);
  EXPECT_EQ(codeFor({DTypeId::Float32, {6, 11}}), Code::SizeMismatch);
  // A flattened array, as written by old numcodecs, matches any shape.
  const Bytes flat = encodeArray({DTypeId::Float32, {60}}, params, bytes).bytes;
  EXPECT_EQ(decodeArray(array, params, flat).bytes, bytes);
  EXPECT_EQ(decodeArray({DTypeId::Float32, {6, 11}}, params, flat).status.code, Code::SizeMismatch);
  // Every bit of the header is checked, but a changed mode may be valid too.
  for (size_t bit = 0; bit < 32 + 52; bit++) {
    Bytes changed = encoded;
    changed[bit / 8] = static_cast<uint8_t>(changed[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(decodeArray(array, params, changed).ok()) << bit;
  }
}

TEST(Zfp, HeaderDeterminesTheMode) {
  for (size_t dims = 1; dims <= 4; dims++) {
    const Array array = {DTypeId::Float64, std::vector<uint32_t>(dims, 5)};
    const Bytes bytes = asBytes(testValues<double>(arrayBytes(array) / 8, 8)[0]);
    for (const Mode& mode : modesFor(dims)) {
      const Bytes encoded = encodeArray(array, makeParams(mode, true), bytes).bytes;
      const Bytes expected = decodeArray(array, makeParams(mode, true), encoded).bytes;
      ASSERT_EQ(expected.size(), bytes.size()) << mode.name;
      for (const Mode& other : modesFor(dims)) {
        EXPECT_EQ(decodeArray(array, makeParams(other, true), encoded).bytes, expected);
      }
    }
  }
}

TEST(Zfp, ParametersAreChecked) {
  const std::vector<std::vector<uint32_t>> bad = {
      {},
      {0, 1, 16658, 64},
      {2, 1, 16658, 64, 0},
      {0, 0, 16658, 64, 0},
      {0, 20, 19, 64, 0},
      {0, 1, 32769, 64, 0},
      {0, 1, 16658, 0, 0},
      {0, 1, 16658, 65, 0},
      {0, 1, 16658, 64, 20000},
      {0, 1, 16658, 64, static_cast<uint32_t>(-20000)},
      {0, 8, 8, 64, static_cast<uint32_t>(-1074)},    // no room for an exponent
      {0, 14, 14, 64, static_cast<uint32_t>(-1075)},  // nor for the number of planes
  };
  for (const auto& params : bad) {
    Step step;
    EXPECT_EQ(prepareArray({DTypeId::Float32, {9}}, params, step).code, Code::BadParameters)
        << testing::PrintToString(params);
  }
  const auto params = makeParams(kReversible, false), headed = makeParams(kReversible, true);
  const auto codeFor = [](const Array& array, const std::vector<uint32_t>& words) {
    Step step;
    return prepareArray(array, words, step).code;
  };
  EXPECT_EQ(codeFor({DTypeId::Float32, {1, 1, 1, 1, 1}}, params), Code::BadParameters);
  EXPECT_EQ(codeFor({DTypeId::Float16, {4}}, params), Code::BadParameters);
  EXPECT_EQ(codeFor({DTypeId::Complex64, {4}}, params), Code::BadParameters);
  EXPECT_EQ(codeFor({DTypeId::Uint64, {4}}, params), Code::Ok);
  EXPECT_EQ(codeFor({DTypeId::Uint64, {4}}, headed), Code::BadParameters);
  EXPECT_EQ(codeFor({DTypeId::Int16, {4}}, headed), Code::BadParameters);
  EXPECT_EQ(codeFor({DTypeId::Float64, {1u << 26, 1, 1, 1}}, params), Code::LimitExceeded);
}

TEST(Zfp, EncodesIntoTheAvailableRoom) {
  const Array array = {DTypeId::Float32, {13, 10}};
  const auto params = makeParams(kReversible, true);
  const Bytes bytes = asBytes(testValues<float>(130, 9)[0]);
  const Bytes encoded = encodeArray(array, params, bytes).bytes;
  Step step;
  ASSERT_FALSE(prepareArray(array, params, step));
  for (size_t room = 0; room <= encoded.size() + 8; room++) {
    ExactBlock out(room);
    Workspace work;
    ByteView result;
    const Status s = step.codec->encode(step, bytes, out.span(), work, result);
    ASSERT_EQ(s.code, room < encoded.size() ? Code::EncodeFailed : Code::Ok) << room;
  }
}

#ifdef ZW_HAVE_SYSTEM_ZFP

TEST(Zfp, EqualsTheLibrary) {
  eachType([&](auto name) {
    using T = typename decltype(name)::Type;
    if (!isHeaderType(name.dtype)) return;
    for (const auto& shape : shapes()) {
      const Array array = {name.dtype, shape};
      const auto kinds = testValues<T>(arrayBytes(array) / sizeof(T), 10);
      for (size_t kind = 0; kind < kinds.size(); kind++) {
        for (const Mode& mode : modesFor(shape.size())) {
          const bool reversible = mode.minExponent < -1074;
          // The library's lossy encoder overflows for tiny exponents.
          if (kind == 4 && std::is_floating_point_v<T> && !reversible) continue;
          SCOPED_TRACE(mode.name + " kind " + std::to_string(kind) + " shape " +
                       testing::PrintToString(shape) + " type " + std::to_string(int(name.dtype)));
          for (bool header : {false, true}) {
            Bytes elements = asBytes(kinds[kind]);
            const auto params = makeParams(mode, header);
            const Bytes ours = encodeArray(array, params, elements).bytes;
            const Bytes theirs = Oracle(array, mode, elements).encode(header);
            // If the library was built for shorter words, it pads less.
            Bytes padded = theirs;
            padded.resize(ours.size());
            ASSERT_EQ(ours, padded);
            ASSERT_LT(ours.size(), theirs.size() + 8);
            Bytes expected(elements.size());
            ASSERT_TRUE(Oracle(array, mode, expected).decode(theirs, header));
            ASSERT_EQ(decodeArray(array, params, theirs).bytes, expected);
          }
        }
      }
    }
  });
}

/// Random streams also decode to the same elements, since all of them are valid.
TEST(Zfp, EqualsTheLibraryOnNoise) {
  for (DTypeId dtype : {DTypeId::Int32, DTypeId::Int64, DTypeId::Float32, DTypeId::Float64}) {
    for (const std::vector<uint32_t>& shape :
         {std::vector<uint32_t>{50}, {9, 6}, {3, 6, 9}, {2, 3, 5, 7}}) {
      const Array array = {dtype, shape};
      for (const Mode& mode : modesFor(shape.size())) {
        Step step;
        const auto params = makeParams(mode, false);
        ASSERT_FALSE(prepareArray(array, params, step));
        for (uint32_t seed = 0; seed < 5; seed++) {
          Bytes noise = randomBytes(step.encoded.bytes / 8 * 8 + 64, seed);
          Bytes expected(arrayBytes(array));
          Oracle(array, mode, expected).decode(noise, false);
          // Compares the elements only; the stream may be truncated.
          const ExactBlock in(noise);
          ExactBlock out(expected.size());
          Workspace work;
          ByteView result;
          const Status s = step.codec->decode(step, in.view(), out.span(), work, result);
          EXPECT_TRUE(s.code == Code::Ok || s.code == Code::TrailingBytes) << codeName(s);
          ASSERT_EQ(out.copy(), expected) << mode.name << testing::PrintToString(shape);
        }
      }
    }
  }
}

#endif  // ZW_HAVE_SYSTEM_ZFP

}  // namespace
}  // namespace zw::test
