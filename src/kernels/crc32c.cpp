#include "kernels/crc32c.hpp"

#include "kernels/sparse_crc.hpp"

namespace zw {
namespace {

constexpr uint32_t kReflected = 0x82F63B78;
// The first result of scripts/crc-taps.mjs.
constexpr crc::Taps kTaps = {{{436, 0b1001}, {574}, {856, 0b101}}};
constexpr crc::FarTaps kFarTaps = {.distance = 5456, .beside = 101, .lone = 12363};

}  // namespace

uint32_t crc32c(uint32_t crc, const uint8_t* data, size_t size) {
  static const crc::Tables tables(kReflected);  // computed at first use: cheaper than a download
  return ~crc::updateLong<kTaps, kFarTaps>(tables, ~crc, data, size);
}

}  // namespace zw
