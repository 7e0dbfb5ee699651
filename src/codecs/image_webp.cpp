// imagecodecs_webp (bytes → bytes): WebP images (RFC 9649), lossy and lossless, through libwebp:
// RGB, or RGBA if there is an alpha channel. Decoder only; images module only.
//
// Parameters: [alpha]   0 = as in the image, 1 = always four channels, 2 = always three
//
// Trust: the image size is compared with the chunk size before libwebp decodes. libwebp's
// allocations depend on that size, and it reports failed ones. Animations are rejected.
#ifdef ZW_IMAGE_CODECS

#include <webp/decode.h>
#include <webp/demux.h>

#include "codecs/image.hpp"

namespace zw {
namespace {

enum Alpha : uint32_t { AsStored, Always, Never };

/// Owns a parsed file.
struct Container {
  WebPDemuxer* demuxer;
  explicit Container(const WebPData& data) : demuxer(WebPDemux(&data)) {}
  ~Container() { WebPDemuxDelete(demuxer); }
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
};

Code toCode(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OK:
      return Code::Ok;
    case VP8_STATUS_OUT_OF_MEMORY:
      return Code::OutOfMemory;
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return Code::UnsupportedImage;
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return Code::Truncated;
    default:
      return Code::Corrupt;
  }
}

Status decodeFrame(const WebPData& frame, bool hasAlpha, uint32_t width, uint32_t height,
                   ByteSpan out) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) return Code::BadVersion;
  if (WebPGetFeatures(frame.bytes, frame.size, &config.input) != VP8_STATUS_OK)
    return Code::BadHeader;
  if (config.input.width != static_cast<int>(width) ||
      config.input.height != static_cast<int>(height)) {
    return Code::BadHeader;
  }
  config.output.colorspace = hasAlpha ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {out.data(), static_cast<int>(width * (hasAlpha ? 4 : 3)), out.size()};
  const VP8StatusCode status = WebPDecode(frame.bytes, frame.size, &config);
  WebPFreeDecBuffer(&config.output);
  return toCode(status);
}

Status prepare(Step& step) {
  if (step.params.size() != 1 || step.params[0] > Never) return Code::BadParameters;
  return prepareImage(step);
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const WebPData data = {in.data(), in.size()};
  const Container container(data);
  if (!container.demuxer) {
    WebPBitstreamFeatures features;
    return WebPGetFeatures(in.data(), in.size(), &features) == VP8_STATUS_OK ? Code::Truncated
                                                                             : Code::BadHeader;
  }
  if (WebPDemuxGetI(container.demuxer, WEBP_FF_FRAME_COUNT) > 1) return Code::UnsupportedImage;
  WebPIterator frame;
  if (!WebPDemuxGetFrame(container.demuxer, 1, &frame)) return Code::Truncated;
  const bool hasAlpha = step.params[0] == Always || (step.params[0] == AsStored && frame.has_alpha);
  const uint32_t width = WebPDemuxGetI(container.demuxer, WEBP_FF_CANVAS_WIDTH);
  const uint32_t height = WebPDemuxGetI(container.demuxer, WEBP_FF_CANVAS_HEIGHT);
  ByteSpan room = decodeRoom(step, out);
  Status status = imageRoom(step, width, height, hasAlpha ? 4 : 3, 1, room);
  if (!status) status = decodeFrame(frame.fragment, hasAlpha, width, height, room);
  WebPDemuxReleaseIterator(&frame);
  if (status) return status;
  result = room;
  return {};
}

}  // namespace

constinit const Codec kImageWebpCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
};

}  // namespace zw

#endif  // ZW_IMAGE_CODECS
