#include "kernels/crc32.hpp"

#include "kernels/sparse_crc.hpp"

namespace zw {
namespace {

constexpr uint32_t kReflected = 0xEDB88320;
// The first result of scripts/crc-taps.mjs.
constexpr crc::Taps kTaps = {{{241, 0b101}, {247, 0b101}, {711, 0b1001}}};

}  // namespace

uint32_t crc32(uint32_t crc, const uint8_t* data, size_t size) {
  static const crc::Tables tables(kReflected);  // computed at first use: cheaper than a download
  return ~crc::update<kTaps>(tables, ~crc, data, size);
}

}  // namespace zw
