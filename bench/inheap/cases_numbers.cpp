// Running sums (for delta) and casts between number types.
#include "cases.hpp"
#include "kernels/cast.hpp"
#include "kernels/prefix_sum.hpp"

namespace zw::bench {

namespace {

/// A cast that produces 4 MiB, block by block as in codecs.
void addCast(Cases& cases, const char* name, const CastRule& rule) {
  const size_t bytes = 4 * kMiB, fromBytes = numberBytes(rule.from), toBytes = numberBytes(rule.to);
  const size_t count = bytes / toBytes;
  cases.push_back(
      {std::string(name) + ", " + sizeName(bytes), copyName(bytes), bytes, [=](const Input&) {
         Block src = noise(count * fromBytes), dst = noise(bytes);
         return [=] {
           for (size_t i = 0; i < count; i += kNumberBlock) {
             castBlock(rule, src.get() + i * fromBytes, kNumberBlock, dst.get() + i * toBytes);
           }
         };
       }});
}

}  // namespace

void addNumberCases(Cases& cases) {
  const size_t bytes = 4 * kMiB;
  for (uint32_t width : {1u, 2u, 4u, 8u}) {
    addCopyLike(cases, "running sum " + std::to_string(width) + " B, " + sizeName(bytes),
                copyName(bytes), bytes, [=](uint8_t* dst, const uint8_t* src) {
                  prefixSum(dst, src, bytes / width, width);
                });
  }
  addCast(cases, "cast int16 to float32", {Number::Int16, Number::Float32});
  addCast(cases, "cast uint8 to uint16", {Number::Uint8, Number::Uint16});
  addCast(cases, "cast float32 to float64", {Number::Float32, Number::Float64});
  addCast(cases, "cast float16 to float32", {Number::Float16, Number::Float32});
  addCast(cases, "cast float32 to float16",
          {Number::Float32, Number::Float16, Rounding::NearestEven, OutOfRange::Clamp});
}

}  // namespace zw::bench
