// kernels: compares vector code with scalar references, at any alignment, in buffers of exact size.
//
// Input: u8 kernel, u8 alignment, u8 width or rule, …, the data
#include "input.hpp"
#include "kernels/adler32.hpp"
#include "kernels/bits.hpp"
#include "kernels/bitshuffle.hpp"
#include "kernels/byteswap.hpp"
#include "kernels/cast.hpp"
#include "kernels/crc32.hpp"
#include "kernels/crc32c.hpp"
#include "kernels/fletcher32.hpp"
#include "kernels/prefix_sum.hpp"
#include "kernels/reduce.hpp"
#include "kernels/shuffle.hpp"
#include "scalar.hpp"
#include "scalar_reduce.hpp"
#include "support.hpp"
#include "targets.hpp"

namespace zw::fuzz {
namespace {

using test::Bytes;
using test::ExactBlock;

/// The data in a separate block, truncated to whole elements.
struct Elements {
  ExactBlock src;
  size_t count;
  uint32_t itemBytes;

  Elements(Input& input, uint32_t width, uint32_t multiple = 1)
      : Elements(input.u8() % 16, input.rest(), width, multiple) {}

 private:
  Elements(size_t offset, ByteView data, uint32_t width, uint32_t multiple)
      : src(cut(data, width * multiple), offset), count(src.size() / width), itemBytes(width) {}
  static Bytes cut(ByteView data, size_t unit) {
    return Bytes(data.begin(), data.begin() + static_cast<ptrdiff_t>(data.size() / unit * unit));
  }
};

using Kernel = void (*)(uint8_t*, const uint8_t*, size_t, uint32_t);

void checkKernel(const Elements& e, Kernel fast, Kernel slow) {
  ExactBlock dst(e.src.size(), e.count % 16);
  Bytes expected(e.src.size());
  fast(dst.data(), e.src.data(), e.count, e.itemBytes);
  slow(expected.data(), e.src.data(), e.count, e.itemBytes);
  ZW_PROPERTY(dst.copy() == expected);
}

void checkShuffles(Input& input) {
  const Elements e(input, input.between(1, 40));
  checkKernel(e, shuffleBytes, scalar::shuffleBytes);
  checkKernel(e, unshuffleBytes, scalar::unshuffleBytes);
  std::vector<const uint8_t*> planes(e.itemBytes);
  for (uint32_t b = 0; b < e.itemBytes; b++) planes[b] = e.src.data() + b * e.count;
  ExactBlock dst(e.src.size());
  Bytes expected(e.src.size());
  unshufflePlanes(dst.data(), planes.data(), e.count, e.itemBytes);
  scalar::unshuffleBytes(expected.data(), e.src.data(), e.count, e.itemBytes);
  ZW_PROPERTY(dst.copy() == expected);
}

void checkBitShuffles(Input& input) {
  const Elements e(input, input.between(1, 40), 8);
  checkKernel(e, bitshuffle, scalar::bitshuffle);
  checkKernel(e, bitunshuffle, scalar::bitunshuffle);
}

void checkSwap(Input& input) {
  static constexpr uint32_t kWidths[] = {1, 2, 4, 8, 16};
  const Elements e(input, input.oneOf(kWidths));
  checkKernel(e, swapCopy, scalar::swapCopy);
  ExactBlock inPlace(e.src.copy());
  Bytes expected(e.src.size());
  swapCopy(inPlace.data(), inPlace.data(), e.count, e.itemBytes);
  scalar::swapCopy(expected.data(), e.src.data(), e.count, e.itemBytes);
  ZW_PROPERTY(inPlace.copy() == expected);
}

void checkPrefixSum(Input& input) {
  static constexpr uint32_t kWidths[] = {1, 2, 4, 8};
  checkKernel(Elements(input, input.oneOf(kWidths)), prefixSum, scalar::prefixSum);
}

using Sum = uint32_t (*)(uint32_t, const uint8_t*, size_t);

/// Compares a checksum with its reference, in one call and in two.
void checkSum(const Elements& e, uint32_t start, size_t middle, Sum fast, Sum slow) {
  const uint8_t* data = e.src.data();
  const uint32_t whole = fast(start, data, e.count);
  ZW_PROPERTY(whole == slow(start, data, e.count));
  middle = std::min(middle, e.count);
  ZW_PROPERTY(fast(fast(start, data, middle), data + middle, e.count - middle) == whole);
}

void checkSums(Input& input) {
  const size_t middle = input.u16();
  const Elements e(input, 1);
  checkSum(e, 0, middle, crc32, scalar::crc32);
  checkSum(e, 0, middle, crc32c, scalar::crc32c);
  checkSum(e, 1, middle, adler32, scalar::adler32);
  ZW_PROPERTY(fletcher32(e.src.data(), e.count) == scalar::fletcher32(e.src.data(), e.count));
}

void checkCasts(Input& input) {
  CastRule rule;
  rule.from = static_cast<Number>(input.between(0, static_cast<uint8_t>(Number::Float64)));
  rule.to = static_cast<Number>(input.between(0, static_cast<uint8_t>(Number::Float64)));
  rule.rounding = static_cast<Rounding>(input.between(0, 4));
  rule.outOfRange = static_cast<OutOfRange>(input.between(0, isFloat(rule.to) ? 1 : 2));
  if (rule.from == Number::Bool || rule.to == Number::Bool) return;  // not used by any codec
  const Elements e(input, numberBytes(rule.from));
  const size_t count = std::min(e.count, kNumberBlock);
  const ExactBlock src(Bytes(e.src.data(), e.src.data() + count * e.itemBytes));
  const uint32_t toBytes = numberBytes(rule.to);
  ExactBlock dst(count * toBytes);
  const size_t done = castBlock(rule, src.data(), count, dst.data());
  ZW_PROPERTY(done <= count);
  for (size_t i = 0; i < done; i++) {
    uint8_t expected[8];
    ZW_PROPERTY(castNumber(rule, src.data() + i * e.itemBytes, expected));
    ZW_PROPERTY(std::memcmp(dst.data() + i * toBytes, expected, toBytes) == 0);
  }
  uint8_t refused[8];
  ZW_PROPERTY(done == count || !castNumber(rule, src.data() + done * e.itemBytes, refused));
}

/// NumPy's casts: converting many numbers at once must equal converting each.
void checkConversions(Input& input) {
  const auto from = static_cast<Number>(input.between(0, static_cast<uint8_t>(Number::Float64)));
  const auto to = static_cast<Number>(input.between(0, static_cast<uint8_t>(Number::Float64)));
  const Elements e(input, numberBytes(from));
  const uint32_t toBytes = numberBytes(to);
  ExactBlock dst(e.count * toBytes);
  convertNumbers(from, e.src.data(), to, dst.data(), e.count);
  for (size_t i = 0; i < e.count; i++) {
    uint8_t expected[8];
    convertNumbers(from, e.src.data() + i * e.itemBytes, to, expected, 1);
    ZW_PROPERTY(std::memcmp(dst.data() + i * toBytes, expected, toBytes) == 0);
  }
}

bool bitAt(const uint8_t* bytes, size_t bit) {
  return bytes[bit / 8] >> bit % 8 & 1;
}

/// Compares bit fields with their definition, bit by bit.
void checkFields(Input& input) {
  static constexpr uint32_t kWidths[] = {1, 2, 4, 8};
  BitField field;
  field.bytes = input.oneOf(kWidths);
  field.first = input.between(0, 8 * field.bytes - 1);
  field.bits = input.between(1, 8 * field.bytes - field.first);
  field.isSigned = input.u8() & 1;
  const Elements e(input, 1);
  const size_t count = e.count * 8 / field.bits;
  const size_t packedBytes = (count * field.bits + 7) / 8;
  const ExactBlock packed(Bytes(e.src.data(), e.src.data() + packedBytes));
  ExactBlock numbers(count * field.bytes);
  unpackFields(field, packed.data(), count, numbers.data());
  for (size_t i = 0; i < count; i++) {
    for (uint32_t bit = 0; bit < 8 * field.bytes; bit++) {
      const uint32_t last = field.bits - 1;
      const uint32_t from = bit < field.first ? UINT32_MAX : bit - field.first;
      const bool isInside = from <= last;
      const size_t at = i * field.bits + (isInside ? from : last);
      const bool isCopied = isInside || (field.isSigned && from != UINT32_MAX);
      const bool expected = isCopied && bitAt(packed.data(), at);
      ZW_PROPERTY(bitAt(numbers.data(), i * 8 * field.bytes + bit) == expected);
    }
  }
  ExactBlock again(packedBytes);
  packFields(field, numbers.data(), count, again.data());
  for (size_t bit = 0; bit < 8 * packedBytes; bit++) {
    const bool expected = bit < count * field.bits && bitAt(packed.data(), bit);
    ZW_PROPERTY(bitAt(again.data(), bit) == expected);
  }
}

void checkBooleans(Input& input) {
  const auto order = input.u8() & 1 ? BitOrder::HighFirst : BitOrder::LowFirst;
  const Elements e(input, 1);
  ExactBlock packed((e.count + 7) / 8);
  packBooleans(order, e.src.data(), e.count, packed.data());
  ExactBlock booleans(e.count);
  unpackBooleans(order, packed.data(), e.count, booleans.data());
  for (size_t i = 0; i < 8 * packed.size(); i++) {
    const size_t bit = order == BitOrder::LowFirst ? i : i / 8 * 8 + 7 - i % 8;
    const bool expected = i < e.count && e.src.data()[i] != 0;
    ZW_PROPERTY(bitAt(packed.data(), bit) == expected);
    ZW_PROPERTY(i >= e.count || booleans.data()[i] == expected);
  }
}

void checkReductions(Input& input) {
  const auto method = static_cast<Reduction>(input.between(0, 2));
  ReduceElement element;
  element.number = static_cast<Number>(input.between(0, static_cast<uint8_t>(Number::Float64)));
  element.toOdd = input.u8() & 1;
  element.itemBytes = input.between(0, 17);
  std::vector<ReduceAxis> axes(input.between(0, 5));
  for (ReduceAxis& axis : axes) axis = {input.between(0, 70), input.between(0, 5)};
  BlockReduction reduction;
  const Status status = prepareReduction(method, element, axes, reduction);
  if (status || reduction.sourceBytes > 1 << 14) return;
  const size_t offset = input.u8() % 16;
  const ByteView data = input.rest();
  Bytes box(reduction.sourceBytes);
  for (size_t i = 0; i < box.size() && !data.empty(); i++) box[i] = data[i % data.size()];
  const ExactBlock src(box, offset);
  ExactBlock dst(reduction.resultBytes, offset / 3);
  Bytes expected(reduction.resultBytes);
  runReduction(reduction, src.data(), dst.data());
  scalar::reduce(method, element, axes, src.data(), expected.data());
  ZW_PROPERTY(dst.copy() == expected);
}

void run(ByteView bytes) {
  static constexpr void (*kChecks[])(Input&) = {
      checkShuffles, checkBitShuffles, checkSwap,   checkPrefixSum, checkSums,
      checkCasts,    checkConversions, checkFields, checkBooleans,  checkReductions};
  Input input(bytes);
  input.oneOf(kChecks)(input);
}

}  // namespace

std::vector<Target> kernelTargets() {
  return {{"kernels", run, nullptr}};
}

}  // namespace zw::fuzz
