// imagecodecs_jpeg2k (bytes → bytes): JPEG 2000 (ITU-T T.800) codestreams and JP2 files, through
// openjpeg. Samples of up to 8, 16 and 32 bits become 1, 2 and 4 bytes. YCC images become RGB.
// Images with a colour profile are rejected, since it would not be applied. Decoder only; images
// module only.
//
// Parameters: [planar]   0 = interleaved channels, 1 = one plane per channel
//
// Trust: openjpeg's memory is bounded by the chunk size (image_memory.hpp), whatever headers claim
// about tiles, precincts and layers. The image size is compared with the chunk size before tiles
// are decoded, and again afterwards.
#ifdef ZW_IMAGE_CODECS

#include <openjpeg.h>

#include <algorithm>
#include <cstring>

#include "codecs/image.hpp"
#include "codecs/image_memory.hpp"

namespace zw {
namespace {

constexpr uint8_t kCodestream[] = {0xff, 0x4f, 0xff, 0x51};
constexpr uint8_t kFile[] = {0, 0, 0, 12, 'j', 'P', ' ', ' ', 13, 10, 0x87, 10};
constexpr uint8_t kBareFile[] = {13, 10, 0x87, 10};
/// Read size of openjpeg, in bytes.
constexpr size_t kPiece = 1 << 16;
/// Memory limit of openjpeg, as a multiple of the chunk size: it keeps samples of the tile and of
/// the image as 32-bit words, and trees over their blocks.
constexpr uint32_t kMemoryTimes = 24;

struct Input {
  ByteView bytes;
  size_t at;
};

OPJ_SIZE_T readInput(void* to, OPJ_SIZE_T bytes, void* data) {
  auto& in = *static_cast<Input*>(data);
  const size_t count = std::min<size_t>(bytes, in.bytes.size() - in.at);
  if (count == 0) return static_cast<OPJ_SIZE_T>(-1);
  std::memcpy(to, in.bytes.data() + in.at, count);
  in.at += count;
  return count;
}

OPJ_OFF_T skipInput(OPJ_OFF_T bytes, void* data) {
  auto& in = *static_cast<Input*>(data);
  if (bytes < 0 || static_cast<uint64_t>(bytes) > in.bytes.size() - in.at) return -1;
  in.at += static_cast<size_t>(bytes);
  return bytes;
}

OPJ_BOOL seekInput(OPJ_OFF_T at, void* data) {
  auto& in = *static_cast<Input*>(data);
  if (at < 0 || static_cast<uint64_t>(at) > in.bytes.size()) return OPJ_FALSE;
  in.at = static_cast<size_t>(at);
  return OPJ_TRUE;
}

/// Owns openjpeg's objects for one image.
struct Decoder {
  Input input;
  opj_stream_t* stream = nullptr;
  opj_codec_t* codec = nullptr;
  opj_image_t* image = nullptr;

  explicit Decoder(ByteView in) : input{in, 0} {}
  ~Decoder() {
    if (stream) opj_stream_destroy(stream);
    if (codec) opj_destroy_codec(codec);
    if (image) opj_image_destroy(image);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
};

template <size_t n>
bool startsWith(ByteView in, const uint8_t (&magic)[n]) {
  return in.size() >= n && std::memcmp(in.data(), magic, n) == 0;
}

Status readHeader(Decoder& decoder) {
  const ByteView in = decoder.input.bytes;
  const bool isFile = startsWith(in, kFile) || startsWith(in, kBareFile);
  if (!isFile && !startsWith(in, kCodestream)) return Code::BadHeader;
  decoder.stream = opj_stream_create(kPiece, OPJ_TRUE);
  decoder.codec = opj_create_decompress(isFile ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
  if (!decoder.stream || !decoder.codec) return Code::OutOfMemory;
  opj_stream_set_user_data(decoder.stream, &decoder.input, nullptr);
  opj_stream_set_user_data_length(decoder.stream, in.size());
  opj_stream_set_read_function(decoder.stream, readInput);
  opj_stream_set_skip_function(decoder.stream, skipInput);
  opj_stream_set_seek_function(decoder.stream, seekInput);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  if (!opj_setup_decoder(decoder.codec, &parameters)) return Code::Corrupt;
  return opj_read_header(decoder.stream, decoder.codec, &decoder.image) ? Code::Ok : Code::Corrupt;
}

/// Bytes per sample in the array, for a sample of `bits` bits.
uint32_t sampleBytes(uint32_t bits) {
  return bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
}

/// Compares the header with the chunk size before anything is decoded. Palettes add channels later.
Status checkHeader(const Step& step, const opj_image_t& image) {
  uint64_t samples = 0;
  for (uint32_t i = 0; i < image.numcomps; i++) {
    const opj_image_comp_t& component = image.comps[i];
    if (component.prec == 0 || component.prec > 32) return Code::UnsupportedImage;
    samples += uint64_t{component.w} * component.h;
  }
  if (samples == 0) return Code::BadHeader;
  return samples > step.decoded.bytes ? Status{tooLarge(step)} : Status{};
}

/// True if the second and third component are subsampled by these factors relative to the first.
bool isSubsampled(const opj_image_t& image, uint32_t across, uint32_t down) {
  const opj_image_comp_t* c = image.comps;
  const auto has = [&](uint32_t i, uint32_t dx, uint32_t dy) {
    return c[i].dx == dx && c[i].dy == dy;
  };
  return has(0, 1, 1) && has(1, across, down) && has(2, across, down);
}

/// True if the components are luma and two chroma: declared by the file, or guessed if there are
/// three components and the second is subsampled.
bool isYcc(const opj_image_t& image) {
  if (image.numcomps < 3) return false;
  if (image.color_space == OPJ_CLRSPC_SYCC) return true;
  return image.numcomps == 3 && image.comps[0].dx == image.comps[0].dy && image.comps[1].dx != 1;
}

/// Converts YCC to RGB like openjpeg's programs.
class Rgb {
 public:
  explicit Rgb(const opj_image_t& image)
      : image_(image),
        offset_(1 << (image.comps[0].prec - 1)),
        most_((1 << image.comps[0].prec) - 1) {}

  /// True if the image can be converted.
  static bool isPossible(const opj_image_t& image) {
    const opj_image_comp_t* c = image.comps;
    if (c[0].prec > 16 || c[1].prec != c[0].prec || c[2].prec != c[0].prec) return false;
    if (image.x0 % 2 || image.y0 % 2) return false;
    return isSubsampled(image, 1, 1) || isSubsampled(image, 2, 1) || isSubsampled(image, 2, 2);
  }

  int32_t sample(uint32_t channel, uint32_t x, uint32_t y) const {
    const auto at = [&](uint32_t i) {
      const opj_image_comp_t& c = image_.comps[i];
      return c.data[size_t{y / c.dy} * c.w + x / c.dx];
    };
    const auto luma = at(0);
    const auto cb = static_cast<float>(at(1) - offset_), cr = static_cast<float>(at(2) - offset_);
    int32_t value = luma;
    if (channel == 0) value += static_cast<int32_t>(1.402 * cr);
    if (channel == 1) value -= static_cast<int32_t>(0.344 * cb + 0.714 * cr);
    if (channel == 2) value += static_cast<int32_t>(1.772 * cb);
    return std::clamp(value, 0, most_);
  }

 private:
  const opj_image_t& image_;
  int32_t offset_, most_;
};

/// Writes all pixels; `sample(channel, x, y)` returns a sample.
template <class T, class Sample>
void writePixels(uint32_t width, uint32_t height, uint32_t channels, bool planar, uint8_t* out,
                 Sample sample) {
  const size_t step = planar ? 1 : channels, plane = planar ? size_t{width} * height : 1;
  for (uint32_t channel = 0; channel < channels; channel++) {
    uint8_t* to = out + channel * plane * sizeof(T);
    for (uint32_t y = 0; y < height; y++) {
      for (uint32_t x = 0; x < width; x++, to += step * sizeof(T)) {
        store<T>(to, static_cast<T>(sample(channel, x, y)));
      }
    }
  }
}

template <class T>
void writeImage(const opj_image_t& image, bool planar, uint8_t* out) {
  const opj_image_comp_t& first = image.comps[0];
  if (isYcc(image)) {
    const Rgb rgb(image);
    writePixels<T>(first.w, first.h, image.numcomps, planar, out,
                   [&](uint32_t channel, uint32_t x, uint32_t y) {
                     return channel < 3 ? rgb.sample(channel, x, y)
                                        : image.comps[channel].data[size_t{y} * first.w + x];
                   });
    return;
  }
  writePixels<T>(first.w, first.h, image.numcomps, planar, out,
                 [&](uint32_t channel, uint32_t x, uint32_t y) {
                   return image.comps[channel].data[size_t{y} * first.w + x];
                 });
}

/// Checks that the components have the same type and size. YCC may be subsampled.
Status checkComponents(const opj_image_t& image) {
  const opj_image_comp_t& first = image.comps[0];
  const bool ycc = isYcc(image);
  if (image.icc_profile_len > 0 || (ycc && !Rgb::isPossible(image))) return Code::UnsupportedImage;
  for (uint32_t i = 0; i < image.numcomps; i++) {
    const opj_image_comp_t& c = image.comps[i];
    if (!c.data) return Code::Corrupt;
    if (c.prec != first.prec || c.sgnd != first.sgnd || c.prec > 32) return Code::UnsupportedImage;
    const uint32_t across = ycc && i < 3 ? c.dx : 1, down = ycc && i < 3 ? c.dy : 1;
    if (c.dx != across || c.dy != down) return Code::UnsupportedImage;
    if (c.w != (first.w + across - 1) / across || c.h != (first.h + down - 1) / down)
      return Code::UnsupportedImage;
  }
  return {};
}

/// True if the stream had a part of each tile. openjpeg leaves missing tiles empty.
bool hasAllTiles(Decoder& decoder) {
  opj_codestream_info_v2_t* info = opj_get_cstr_info(decoder.codec);
  opj_codestream_index_t* index = opj_get_cstr_index(decoder.codec);
  bool isWhole = info && index && index->tile_index && index->nb_of_tiles == info->tw * info->th;
  for (uint32_t i = 0; isWhole && i < index->nb_of_tiles; i++)
    isWhole = index->tile_index[i].tp_index != nullptr;
  if (info) opj_destroy_cstr_info(&info);
  if (index) opj_destroy_cstr_index(&index);
  return isWhole;
}

Status decodeImage(const Step& step, Decoder& decoder, ByteSpan& out) {
  if (Status s = readHeader(decoder)) return s;
  if (Status s = checkHeader(step, *decoder.image)) return s;
  if (!opj_decode(decoder.codec, decoder.stream, decoder.image) ||
      !opj_end_decompress(decoder.codec, decoder.stream)) {
    return Code::Corrupt;
  }
  if (!hasAllTiles(decoder)) return Code::Truncated;
  const opj_image_t& image = *decoder.image;
  if (image.numcomps == 0) return Code::Corrupt;
  if (Status s = checkComponents(image)) return s;
  const opj_image_comp_t& first = image.comps[0];
  const uint32_t bytes = sampleBytes(first.prec);
  if (Status s = imageRoom(step, first.w, first.h, image.numcomps, bytes, out)) return s;
  const bool planar = step.params[0] != 0;
  if (bytes == 1) writeImage<uint8_t>(image, planar, out.data());
  if (bytes == 2) writeImage<uint16_t>(image, planar, out.data());
  if (bytes == 4) writeImage<uint32_t>(image, planar, out.data());
  return {};
}

Status prepare(Step& step) {
  if (step.params.size() != 1 || step.params[0] > 1) return Code::BadParameters;
  return prepareImage(step);
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  ImageBudget budget;
  budget.allow(step.decoded.bytes, kMemoryTimes);
  ByteSpan room = decodeRoom(step, out);
  Decoder decoder(in);
  const Status status = decodeImage(step, decoder, room);
  if (status) return budget.wasRefused() ? Code::LimitExceeded : status;
  result = room;
  return {};
}

}  // namespace

constinit const Codec kImageJpeg2kCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
};

}  // namespace zw

#endif  // ZW_IMAGE_CODECS
