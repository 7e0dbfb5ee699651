// Packed bits, compared with a bit-by-bit reference.
#include <gtest/gtest.h>

#include "kernels/bits.hpp"
#include "support.hpp"

namespace zw::test {
namespace {

bool bitAt(const Bytes& bytes, size_t i) {
  return bytes[i / 8] >> (i % 8) & 1;
}

TEST(Bits, BooleansInBothOrders) {
  const Bytes example = {1, 0, 0, 1, 1, 1, 0, 1, 1};
  Bytes low(2), high(2);
  packBooleans(BitOrder::LowFirst, example.data(), example.size(), low.data());
  packBooleans(BitOrder::HighFirst, example.data(), example.size(), high.data());
  EXPECT_EQ(low, (Bytes{0xb9, 0x01}));
  EXPECT_EQ(high, (Bytes{0x9d, 0x80}));
  for (size_t count = 0; count <= 70; count++) {
    for (size_t offset : {0u, 1u, 5u}) {
      const Bytes packed = randomBytes((count + 7) / 8, static_cast<uint32_t>(count) + 1);
      for (BitOrder order : {BitOrder::LowFirst, BitOrder::HighFirst}) {
        const ExactBlock in(packed, offset);
        ExactBlock out(count, offset), again(packed.size(), offset);
        unpackBooleans(order, in.data(), count, out.data());
        Bytes kept(packed.size());  // `packed`, zeros after `count` bits
        for (size_t i = 0; i < count; i++) {
          const size_t shift = order == BitOrder::LowFirst ? i % 8 : 7 - i % 8;
          const int bit = packed[i / 8] >> shift & 1;
          ASSERT_EQ(out.data()[i], bit);
          kept[i / 8] = static_cast<uint8_t>(kept[i / 8] | bit << shift);
          if (bit) out.data()[i] = static_cast<uint8_t>(1 << i % 8);  // any nonzero byte is true
        }
        packBooleans(order, out.data(), count, again.data());
        ASSERT_EQ(again.copy(), kept);
      }
    }
  }
}

TEST(Bits, BooleansOfAnyBytes) {
  for (size_t count : {0u, 1u, 15u, 16u, 17u, 70u}) {
    Bytes bytes = randomBytes(count, static_cast<uint32_t>(count) + 1);
    for (size_t i = 0; i < count; i += 3) bytes[i] = static_cast<uint8_t>(i % 2);
    const ExactBlock in(bytes, 1);
    ExactBlock out(count, 3);
    copyBooleans(in.data(), count, out.data());
    for (size_t i = 0; i < count; i++) ASSERT_EQ(out.data()[i], bytes[i] != 0);
  }
}

TEST(Bits, FieldsOfEveryWidthAndPlace) {
  for (uint32_t bytes : {1u, 2u, 4u, 8u}) {
    for (uint32_t bits = 1; bits <= 8 * bytes; bits++) {
      for (uint32_t first : {0u, 1u, 8 * bytes - bits}) {
        if (first + bits > 8 * bytes) continue;
        for (bool isSigned : {false, true}) {
          const BitField field = {bytes, first, bits, isSigned};
          for (size_t count : {1u, 2u, 7u, 8u, 9u, 40u}) {
            const Bytes numbers = randomBytes(count * bytes, bits);
            const ExactBlock in(numbers, 1);
            ExactBlock packed((count * bits + 7) / 8, 1), out(numbers.size(), 1);
            packFields(field, in.data(), count, packed.data());
            unpackFields(field, packed.data(), count, out.data());
            const Bytes got = packed.copy(), back = out.copy();
            for (size_t i = 0; i < count; i++) {
              for (uint32_t k = 0; k < bits; k++) {
                ASSERT_EQ(bitAt(got, i * bits + k), bitAt(numbers, i * 8 * bytes + first + k));
              }
              const bool sign = bitAt(numbers, i * 8 * bytes + first + bits - 1);
              for (uint32_t k = 0; k < 8 * bytes; k++) {
                const bool inside = k >= first && k < first + bits;
                const bool expected = inside      ? bitAt(numbers, i * 8 * bytes + k)
                                      : k < first ? false
                                                  : isSigned && sign;
                ASSERT_EQ(bitAt(back, i * 8 * bytes + k), expected);
              }
            }
            for (size_t k = count * bits; k < 8 * got.size(); k++) ASSERT_FALSE(bitAt(got, k));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace zw::test
