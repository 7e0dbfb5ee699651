// Channels: joins planes into interleaved pixels and splits pixels into planes, when a permutation
// moves a short packed axis. Register tiles would need a full register of channels; this is the
// byte shuffle (records.hpp) with items in place of bytes.
//
// Safety: only the items of the channels are read and written (see records.hpp). Other kernels
// handle planes with fewer pixels than a block.
#include "kernels/copy_plane.hpp"
#include "kernels/records.hpp"
#include "kernels/row.hpp"

namespace zw {

namespace {

/// With more channels, 16-byte tiles fit.
constexpr size_t kMaxByteChannels = 15;

void joinBytes(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  joinPlanes(dst, {src, plane.inner.srcStride, nullptr}, plane.outer.length,
             static_cast<uint32_t>(plane.inner.length));
}

void splitBytes(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  splitPlanes(dst, plane.outer.dstStride, src, plane.inner.length,
              static_cast<uint32_t>(plane.outer.length));
}

// Items are swizzled even if no bytes are swapped: half the code, and hidden by memory latency.

template <int T, int E>
void joinItems(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  joinRecords<T, E>(dst, {src, plane.inner.srcStride, nullptr},
                    static_cast<uint32_t>(plane.inner.length), plane.outer.length,
                    Swap(plane.swapBytes));
}

template <int T, int E>
void splitItems(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  splitRecords<T, E>(dst, plane.outer.dstStride, src, static_cast<uint32_t>(plane.outer.length),
                     plane.inner.length, Swap(plane.swapBytes));
}

template <int E>
PlaneKernel choose(size_t channels, bool joins) {
  if (channels == 2) return joins ? joinItems<2, E> : splitItems<2, E>;
  if constexpr (E <= 4) {
    if (channels == 3) return joins ? joinItems<3, E> : splitItems<3, E>;
    if (channels == 4) return joins ? joinItems<4, E> : splitItems<4, E>;
  }
  return nullptr;
}

}  // namespace

PlaneKernel chooseChannelKernel(const CopyPlane& plane) {
  const size_t item = plane.itemBytes;
  // Pixels are packed on the side where the channels are contiguous.
  const bool joins =
      plane.outer.dstStride == plane.inner.length * item && plane.inner.length < plane.outer.length;
  const bool splits = plane.inner.srcStride == plane.outer.length * item && !joins;
  if (!joins && !splits) return nullptr;
  const size_t channels = joins ? plane.inner.length : plane.outer.length;
  const size_t pixels = joins ? plane.outer.length : plane.inner.length;
  if (item == 1 && channels <= kMaxByteChannels) return joins ? joinBytes : splitBytes;
  if (pixels * item < 64) return nullptr;
  switch (item) {
    case 2:
      return choose<2>(channels, joins);
    case 4:
      return choose<4>(channels, joins);
    case 8:
      return choose<8>(channels, joins);
    default:
      return nullptr;
  }
}

}  // namespace zw
