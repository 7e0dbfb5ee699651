// imagecodecs_png (bytes → bytes): PNG (ISO/IEC 15948), over the same inflate as zlib and gzip. All
// image types: grey of fewer than 8 bits becomes 8 bits, a palette becomes RGB, transparency (tRNS)
// becomes an alpha channel, and 16-bit samples become little-endian. Decoder only; images module
// only.
//
//   signature of 8 bytes, then chunks of [length, type, data, CRC-32 of type and data]: IHDR, PLTE,
//   tRNS, IDAT…, IEND
//
// Parameters: none
//
// Trust: the size in IHDR is compared with the chunk size before anything is decoded; memory is
// sized by the chunk and the input.
#ifdef ZW_IMAGE_CODECS

#include <algorithm>
#include <cstdlib>

#include "codecs/deflate.hpp"
#include "codecs/image.hpp"
#include "kernels/crc32.hpp"

namespace zw {
namespace {

constexpr uint8_t kSignature[] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};
enum ColorType : uint8_t { Grey = 0, Rgb = 2, Palette = 3, GreyAlpha = 4, Rgba = 6 };

constexpr uint32_t chunkName(const char (&text)[5]) {
  return uint32_t{static_cast<uint8_t>(text[0])} << 24 |
         uint32_t{static_cast<uint8_t>(text[1])} << 16 |
         uint32_t{static_cast<uint8_t>(text[2])} << 8 | static_cast<uint8_t>(text[3]);
}

struct Image {
  uint32_t width, height;
  uint8_t bits, type;
  bool isInterlaced;
  ByteView palette;       // RGB of each entry
  ByteView transparency;  // alpha of palette entries, or the transparent colour
  ByteView data;          // the zlib stream

  /// Samples per pixel in the file.
  uint32_t stored() const { return type == Rgb ? 3 : type == GreyAlpha ? 2 : type == Rgba ? 4 : 1; }
  /// Channels per pixel in the array.
  uint32_t channels() const {
    const uint32_t own = type == Palette ? 3 : stored();
    return own + (transparency.empty() ? 0 : 1);
  }
  uint32_t sampleBytes() const { return bits == 16 ? 2 : 1; }
  uint32_t pixelBytes() const { return channels() * sampleBytes(); }
  /// Bytes of a row of this many pixels, without the filter byte.
  size_t rowBytes(uint32_t pixels) const {
    return static_cast<size_t>((uint64_t{pixels} * stored() * bits + 7) / 8);
  }
};

/// One pass of an interlaced image: every dx-th pixel of every dy-th row.
struct Pass {
  uint32_t x0, y0, dx, dy;
  uint32_t columns(const Image& image) const {
    return image.width > x0 ? (image.width - x0 + dx - 1) / dx : 0;
  }
  uint32_t rows(const Image& image) const {
    return image.height > y0 ? (image.height - y0 + dy - 1) / dy : 0;
  }
  size_t bytes(const Image& image) const {
    return columns(image) ? rows(image) * (image.rowBytes(columns(image)) + 1) : 0;
  }
};
constexpr Pass kWhole[] = {{0, 0, 1, 1}};
constexpr Pass kAdam7[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                           {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

std::span<const Pass> imagePasses(const Image& image) {
  return image.isInterlaced ? std::span<const Pass>(kAdam7) : std::span<const Pass>(kWhole);
}

bool isPossible(uint8_t type, uint8_t bits) {
  switch (type) {
    case Grey:
      return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16;
    case Palette:
      return bits == 1 || bits == 2 || bits == 4 || bits == 8;
    case Rgb:
    case GreyAlpha:
    case Rgba:
      return bits == 8 || bits == 16;
    default:
      return false;
  }
}

/// Reads the chunks of a file in sequence.
class Chunks {
 public:
  Chunks(ByteView in, bool verifies) : in_(in), verifies_(verifies) {}

  Status next(uint32_t& name, ByteView& data) {
    if (in_.size() - at_ < 12) return {Code::Truncated, in_.size()};
    const uint32_t length = loadBigEndian(in_.data() + at_);
    if (length > in_.size() - at_ - 12) return {Code::Truncated, in_.size()};
    name = loadBigEndian(in_.data() + at_ + 4);
    data = in_.subspan(at_ + 8, length);
    // CRCs of ignored chunks are not checked.
    const bool counts = isCritical(name) || name == chunkName("tRNS");
    const uint8_t* checked = in_.data() + at_ + 4;
    if (verifies_ && counts &&
        crc32(0, checked, length + size_t{4}) != loadBigEndian(checked + 4 + length)) {
      return {Code::ChecksumMismatch, at_};
    }
    at_ += length + size_t{12};
    return {};
  }
  static bool isCritical(uint32_t name) { return (name & 0x20000000) == 0; }
  size_t at() const { return at_; }

 private:
  ByteView in_;
  bool verifies_;
  size_t at_ = sizeof(kSignature);
};

Status readHeader(ByteView data, Image& image) {
  if (data.size() != 13) return Code::BadHeader;
  image.width = loadBigEndian(data.data());
  image.height = loadBigEndian(data.data() + 4);
  image.bits = data[8];
  image.type = data[9];
  image.isInterlaced = data[12] == 1;
  const bool isKnown =
      data[10] == 0 && data[11] == 0 && data[12] <= 1 && isPossible(image.type, image.bits);
  constexpr uint32_t kMaxSide = 0x7fffffff;
  if (!isKnown || image.width == 0 || image.height == 0 || image.width > kMaxSide ||
      image.height > kMaxSide) {
    return Code::BadHeader;
  }
  return {};
}

Status readTransparency(ByteView data, Image& image) {
  const size_t colour = image.type == Grey ? 2 : image.type == Rgb ? 6 : 0;
  const bool fits = image.type == Palette ? !data.empty() && data.size() <= image.palette.size() / 3
                                          : colour > 0 && data.size() == colour;
  if (!fits) return Code::Corrupt;
  image.transparency = data;
  return {};
}

/// Concatenates the IDAT chunks; a single one is not copied.
Status joinData(ByteView in, size_t first, size_t count, size_t bytes, Workspace& work,
                Image& image) {
  Chunks chunks(in.subspan(first - sizeof(kSignature)), false);
  ByteSpan joined;
  if (count > 1) {
    if (Status s = work.scratch(ScratchSlot::Image, bytes, joined)) return s;
  }
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t name = 0;
    ByteView data;
    if (Status s = chunks.next(name, data)) return s;
    if (count == 1) {
      image.data = data;
    } else {
      if (!data.empty()) std::memcpy(joined.data() + at, data.data(), data.size());
      at += data.size();
    }
  }
  if (count > 1) image.data = joined;
  return {};
}

/// Reads the chunks up to the last IDAT.
Status readChunks(const Step& step, ByteView in, Workspace& work, Image& image) {
  if (in.size() < sizeof(kSignature)) return Code::Truncated;
  if (std::memcmp(in.data(), kSignature, sizeof(kSignature)) != 0) return Code::BadHeader;
  Chunks chunks(in, step.verifiesChecksums);
  uint32_t name = 0;
  ByteView data;
  if (Status s = chunks.next(name, data)) return s;
  if (name != chunkName("IHDR")) return Code::BadHeader;
  if (Status s = readHeader(data, image)) return s;
  size_t first = 0, count = 0, bytes = 0;
  while (true) {
    const size_t at = chunks.at();
    if (Status s = chunks.next(name, data)) return s;
    if (name == chunkName("IDAT")) {
      if (count++ == 0) first = at;
      bytes += data.size();
      continue;
    }
    if (count > 0) break;  // the chunk after the last IDAT
    if (name == chunkName("PLTE")) {
      if (data.empty() || data.size() % 3 != 0 || data.size() > 3 * 256 || !image.palette.empty()) {
        return {Code::Corrupt, at};
      }
      image.palette = data;
    } else if (name == chunkName("tRNS")) {
      if (Status s = readTransparency(data, image)) return {s.code, at};
    } else if (Chunks::isCritical(name)) {
      return {name == chunkName("IEND") ? Code::Truncated : Code::UnsupportedImage, at};
    }
  }
  if (image.type == Palette && image.palette.empty()) return Code::Corrupt;
  return joinData(in, first, count, bytes, work, image);
}

uint8_t paeth(uint8_t left, uint8_t up, uint8_t corner) {
  const int p = left + up - corner;
  const int a = std::abs(p - left), b = std::abs(p - up), c = std::abs(p - corner);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/// Undoes the filter of a row. `above` is the previous row or null, `pixel` the bytes per pixel.
/// False for an unknown filter.
bool unfilter(uint8_t filter, uint8_t* row, const uint8_t* above, size_t bytes, size_t pixel) {
  const auto left = [&](size_t i) { return i < pixel ? uint8_t{0} : row[i - pixel]; };
  const auto up = [&](size_t i) { return above ? above[i] : uint8_t{0}; };
  const auto corner = [&](size_t i) { return above && i >= pixel ? above[i - pixel] : uint8_t{0}; };
  const auto add = [&](size_t i, unsigned value) { row[i] = static_cast<uint8_t>(row[i] + value); };
  switch (filter) {
    case 0:
      return true;
    case 1:
      for (size_t i = pixel; i < bytes; i++) add(i, row[i - pixel]);
      return true;
    case 2:
      if (!above) return true;
      for (size_t i = 0; i < bytes; i++) add(i, above[i]);
      return true;
    case 3:
      for (size_t i = 0; i < bytes; i++) add(i, (unsigned{left(i)} + up(i)) / 2);
      return true;
    case 4:
      for (size_t i = 0; i < bytes; i++) add(i, paeth(left(i), up(i), corner(i)));
      return true;
    default:
      return false;
  }
}

/// Sample `i` of a row whose samples have fewer than 8 bits.
uint8_t smallSample(const uint8_t* row, size_t i, uint32_t bits) {
  const size_t at = i * bits;
  return static_cast<uint8_t>((row[at / 8] >> (8 - bits - at % 8)) & ((1u << bits) - 1));
}

/// Writes the pixels of a row, `step` bytes apart. False if an index is outside the palette.
bool writePalette(const Image& image, const uint8_t* row, uint32_t pixels, uint8_t* out,
                  size_t step) {
  for (uint32_t x = 0; x < pixels; x++, out += step) {
    const uint8_t index = image.bits == 8 ? row[x] : smallSample(row, x, image.bits);
    if (index >= image.palette.size() / 3) return false;
    std::memcpy(out, image.palette.data() + 3 * index, 3);
    if (!image.transparency.empty())
      out[3] = index < image.transparency.size() ? image.transparency[index] : 255;
  }
  return true;
}

void writeGrey(const Image& image, const uint8_t* row, uint32_t pixels, uint8_t* out, size_t step) {
  const auto scale = static_cast<uint8_t>(255 / ((1u << image.bits) - 1));
  const bool hasAlpha = !image.transparency.empty();
  // Like libpng, use only as many bits of the transparent grey as samples have.
  const unsigned clear = hasAlpha ? image.transparency[1] & ((1u << image.bits) - 1) : 0;
  for (uint32_t x = 0; x < pixels; x++, out += step) {
    const uint8_t grey = smallSample(row, x, image.bits);
    out[0] = static_cast<uint8_t>(grey * scale);
    if (hasAlpha) out[1] = grey == clear ? 0 : 255;
  }
}

void writeSamples(const Image& image, const uint8_t* row, uint32_t pixels, uint8_t* out,
                  size_t step) {
  const uint32_t samples = image.stored(), width = image.sampleBytes(), bytes = samples * width;
  uint8_t clear[6] = {};
  for (size_t i = 0; i < image.transparency.size() / 2; i++) {
    clear[i * width] = image.transparency[2 * i + (width == 1 ? 1 : 0)];
    if (width == 2) clear[2 * i + 1] = image.transparency[2 * i + 1];
  }
  for (uint32_t x = 0; x < pixels; x++, row += bytes, out += step) {
    if (width == 1) {
      std::memcpy(out, row, bytes);
    } else {
      for (uint32_t i = 0; i < bytes; i += 2) {
        out[i] = row[i + 1];
        out[i + 1] = row[i];
      }
    }
    if (!image.transparency.empty()) {
      std::memset(out + bytes, std::memcmp(row, clear, bytes) == 0 ? 0 : 255, width);
    }
  }
}

Status writeRow(const Image& image, const uint8_t* row, uint32_t pixels, uint8_t* out,
                size_t step) {
  if (image.type == Palette)
    return writePalette(image, row, pixels, out, step) ? Code::Ok : Code::Corrupt;
  if (image.bits < 8) {
    writeGrey(image, row, pixels, out, step);
  } else {
    writeSamples(image, row, pixels, out, step);
  }
  return {};
}

Status writePass(const Image& image, const Pass& pass, uint8_t* rows, ByteSpan out) {
  const uint32_t columns = pass.columns(image);
  const size_t rowBytes = image.rowBytes(columns), pixelBytes = image.pixelBytes();
  const size_t filterBytes = std::max<size_t>(1, size_t{image.stored()} * image.bits / 8);
  const uint8_t* above = nullptr;
  for (uint32_t i = 0; i < pass.rows(image); i++, rows += rowBytes + 1) {
    if (!unfilter(rows[0], rows + 1, above, rowBytes, filterBytes)) return Code::Corrupt;
    above = rows + 1;
    const size_t pixel = (size_t{pass.y0} + size_t{i} * pass.dy) * image.width + pass.x0;
    if (Status s = writeRow(image, rows + 1, columns, out.data() + pixel * pixelBytes,
                            pass.dx * pixelBytes))
      return s;
  }
  return {};
}

Status prepare(Step& step) {
  if (!step.params.empty()) return Code::BadParameters;
  return prepareImage(step);
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  Image image = {};
  if (Status s = readChunks(step, in, work, image)) return s;
  ByteSpan room = decodeRoom(step, out);
  if (Status s =
          imageRoom(step, image.width, image.height, image.channels(), image.sampleBytes(), room))
    return s;
  size_t bytes = 0;
  for (const Pass& pass : imagePasses(image)) bytes += pass.bytes(image);
  ByteSpan rows;
  if (Status s = work.scratch(ScratchSlot::Codec, bytes, rows)) return s;
  Inflated done;
  if (Status s = inflateZlib(work, image.data, rows, done, step.verifiesChecksums)) {
    return s.code == Code::SizeMismatch ? Code::Corrupt : s.code;
  }
  if (done.produced != bytes) return Code::Truncated;
  size_t at = 0;
  for (const Pass& pass : imagePasses(image)) {
    if (pass.bytes(image) == 0) continue;
    if (Status s = writePass(image, pass, rows.data() + at, room)) return s;
    at += pass.bytes(image);
  }
  result = room;
  return {};
}

}  // namespace

constinit const Codec kImagePngCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
};

}  // namespace zw

#endif  // ZW_IMAGE_CODECS
