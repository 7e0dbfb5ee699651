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

template <int T, int E, class Change>
void joinItems(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  joinRecords<T, E>(dst, {src, plane.inner.srcStride, nullptr}, plane.outer.length,
                    Change(plane.swapBytes));
}

template <int T, int E, class Change>
void splitItems(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  splitRecords<T, E>(dst, plane.outer.dstStride, src, plane.inner.length, Change(plane.swapBytes));
}

template <int E, class Change>
PlaneKernel chooseJoin(size_t channels) {
  if (channels == 2) return joinItems<2, E, Change>;
  if constexpr (E <= 4) {
    if (channels == 3) return joinItems<3, E, Change>;
    if (channels == 4) return joinItems<4, E, Change>;
  }
  return nullptr;
}

template <int E, class Change>
PlaneKernel chooseSplit(size_t channels) {
  if (channels == 2) return splitItems<2, E, Change>;
  if constexpr (E <= 4) {
    if (channels == 3) return splitItems<3, E, Change>;
    if (channels == 4) return splitItems<4, E, Change>;
  }
  return nullptr;
}

template <int E, class Change>
PlaneKernel choose(const CopyPlane& plane, bool joins) {
  return joins ? chooseJoin<E, Change>(plane.inner.length)
               : chooseSplit<E, Change>(plane.outer.length);
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
  const bool keep = plane.swapBytes == 1;
  switch (item) {
    case 2:
      return keep ? choose<2, Keep>(plane, joins) : choose<2, SwapBy<2>>(plane, joins);
    case 4:
      if (plane.swapBytes == 4) return choose<4, SwapBy<4>>(plane, joins);
      return keep ? choose<4, Keep>(plane, joins) : nullptr;
    case 8:
      if (plane.swapBytes == 8) return choose<8, SwapBy<8>>(plane, joins);
      return keep ? choose<8, Keep>(plane, joins) : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace zw
