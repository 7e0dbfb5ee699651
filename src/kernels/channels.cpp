// Channels: planes joined to interleaved pixels and pixels split to planes, where a permutation
// moves a short packed axis. Tiles would need as many channels as fit a register; this is the byte
// shuffle (records.hpp) with items for bytes.
//
// Safe because: exactly the channels' items are read and written (see records.hpp); fewer pixels
// than a block are left to other kernels.
#include "kernels/copy_plane.hpp"
#include "kernels/records.hpp"
#include "kernels/row.hpp"

namespace zw {

namespace {

/// From this many channels on, tiles of 16 bytes fit.
constexpr size_t kMaxByteChannels = 15;

void joinBytes(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  joinPlanes(dst, {src, plane.inner.srcStride, nullptr}, plane.outer.length,
             static_cast<uint32_t>(plane.inner.length));
}

void splitBytes(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  splitPlanes(dst, plane.outer.dstStride, src, plane.inner.length,
              static_cast<uint32_t>(plane.outer.length));
}

// Items are swizzled whether their bytes are swapped or not: half the code, and memory hides it.

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
