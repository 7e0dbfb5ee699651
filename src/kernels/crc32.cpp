#include "kernels/crc32.hpp"

#include "kernels/sparse_crc.hpp"

namespace zw {
namespace {

constexpr uint32_t kReflected = 0xEDB88320;
constexpr crc::Polynomial kPolynomial = {
    kReflected, {{4018, 2181, 1927}}, {{1624, 992, 944, 640, 136}}};

}  // namespace

uint32_t crc32(uint32_t crc, const uint8_t* data, size_t size) {
  static const crc::Tables tables(kReflected);  // made at first use: cheaper than to download them
  return ~crc::update<kPolynomial>(tables, ~crc, data, size);
}

uint32_t scalar::crc32(uint32_t crc, const uint8_t* data, size_t size) {
  return crc::byBits(kReflected, crc, data, size);
}

}  // namespace zw
