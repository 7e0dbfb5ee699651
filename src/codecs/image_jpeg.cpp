// imagecodecs_jpeg (bytes → bytes): 8-bit JPEG images (ITU-T T.81) through libjpeg-turbo: baseline,
// extended and progressive, with Huffman or arithmetic coding. Decoder only; images module only.
//
// Parameters: [stream color space, pixel color space, table bytes (count), header bytes (count),
//              bytes…]
//   color spaces   libjpeg's J_COLOR_SPACE; 0 = as declared (decodes to RGB, grey or CMYK)
//   tables         an abbreviated stream that holds tables only (TIFF's JPEGTables)
//   header         bytes to insert before each stream; an end marker is then appended as well
//   bytes          tables and header, four bytes to a word, little-endian
//
// Trust: the image size is compared with the chunk size as soon as the header has been read.
// libjpeg's memory (image_memory.hpp) and the number of scans of a progressive stream are bounded.
// Damage that libjpeg would paper over (truncated streams, invalid codes) is an error. libjpeg
// reports errors by longjmp.
#ifdef ZW_IMAGE_CODECS

#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

#include "codecs/image.hpp"
#include "codecs/image_memory.hpp"
extern "C" {
#include <jerror.h>
}

namespace zw {
namespace {

enum Slots { StreamSpace, PixelSpace, TableBytes, HeaderBytes, Words };
/// The last color space of libjpeg.
constexpr uint32_t kLastSpace = JCS_EXT_ARGB;
/// Maximum size of tables and header together, in bytes.
constexpr uint32_t kMaxTables = 1 << 16;
/// Maximum number of scans, more than any encoder writes. Each scan is a pass over the whole image,
/// however short its data.
constexpr int kMaxScans = 500;

constexpr JOCTET kEnd[] = {0xff, 0xd9};

/// The input for libjpeg: inserted bytes, the chunk, and an end marker.
struct Source {
  jpeg_source_mgr base;
  ByteView next;
  bool isAtEnd;
};

struct Decoder {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress;
  Source source;
  jmp_buf leave;
  Code failure;
  ImageBudget* budget;
  ByteView tables, header, in;
  ByteSpan out;
};

Decoder& getDecoder(j_common_ptr info) {
  return *static_cast<Decoder*>(info->client_data);
}

[[noreturn]] void fail(j_common_ptr info, Code code) {
  Decoder& decoder = getDecoder(info);
  decoder.failure = decoder.source.isAtEnd && code == Code::Corrupt ? Code::Truncated : code;
  std::longjmp(decoder.leave, 1);
}

void onError(j_common_ptr info) {
  switch (info->err->msg_code) {
    case JERR_OUT_OF_MEMORY:
      fail(info, Code::OutOfMemory);
    case JERR_NO_SOI:
      fail(info, Code::BadHeader);
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_ARITH_NOTIMPL:
      fail(info, Code::UnsupportedImage);
    default:
      fail(info, Code::Corrupt);
  }
}

void onMessage(j_common_ptr info, int level) {
  if (level >= 0) return;  // trace messages
  switch (info->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
      return;
    default:
      fail(info, Code::Corrupt);
  }
}

void ignoreText(j_common_ptr) {}
void ignoreSource(j_decompress_ptr) {}

boolean fill(j_decompress_ptr info) {
  Source& source = getDecoder(reinterpret_cast<j_common_ptr>(info)).source;
  if (source.next.empty()) {
    source.isAtEnd = true;
    source.next = kEnd;
  }
  source.base.next_input_byte = source.next.data();
  source.base.bytes_in_buffer = source.next.size();
  source.next = {};
  return TRUE;
}

void skip(j_decompress_ptr info, long bytes) {
  Source& source = getDecoder(reinterpret_cast<j_common_ptr>(info)).source;
  size_t left = bytes > 0 ? static_cast<size_t>(bytes) : 0;
  while (left > source.base.bytes_in_buffer && !source.isAtEnd) {
    left -= source.base.bytes_in_buffer;
    fill(info);
  }
  if (source.isAtEnd) return;
  source.base.next_input_byte += left;
  source.base.bytes_in_buffer -= left;
}

void onProgress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMaxScans) {
    fail(info, Code::LimitExceeded);
  }
}

/// Sets the input to `front` followed by `rest`.
void feed(Decoder& decoder, ByteView front, ByteView rest) {
  decoder.source.isAtEnd = false;
  decoder.source.next = rest;
  decoder.source.base.next_input_byte = front.data();
  decoder.source.base.bytes_in_buffer = front.size();
}

/// Decodes the image. Failures of libjpeg leave this function by longjmp.
Status run(const Step& step, Decoder& decoder) {
  jpeg_decompress_struct& info = decoder.info;
  if (!decoder.tables.empty()) {
    feed(decoder, decoder.tables, {});
    if (jpeg_read_header(&info, FALSE) != JPEG_HEADER_TABLES_ONLY) return Code::BadParameters;
  }
  feed(decoder, decoder.header, decoder.in);
  jpeg_read_header(&info, TRUE);
  const uint32_t stream = step.params[StreamSpace];
  const uint32_t pixels = step.params[PixelSpace] ? step.params[PixelSpace] : stream;
  if (stream) info.jpeg_color_space = static_cast<J_COLOR_SPACE>(stream);
  if (pixels) info.out_color_space = static_cast<J_COLOR_SPACE>(pixels);
  jpeg_calc_output_dimensions(&info);
  const auto channels = static_cast<uint32_t>(info.output_components);
  ByteSpan out = decoder.out;
  if (Status s = imageRoom(step, info.output_width, info.output_height, channels, 1, out)) return s;
  decoder.out = out;
  decoder.budget->allow(out.size(), 8);
  jpeg_start_decompress(&info);
  JSAMPROW row = out.data();
  for (; info.output_scanline < info.output_height; row += size_t{info.output_width} * channels) {
    jpeg_read_scanlines(&info, &row, 1);
  }
  // Arithmetic coding may omit any number of trailing zeros.
  const bool wantsMore = jpeg_has_multiple_scans(&info) != FALSE || info.arith_code;
  jpeg_finish_decompress(&info);
  // Later scans refine earlier ones: without the last, all pixels exist but are wrong.
  if (wantsMore && decoder.source.isAtEnd && step.params[HeaderBytes] == 0) return Code::Truncated;
  return {};
}

/// A separate function, so that no local variable changes between setjmp and longjmp.
[[gnu::noinline]] Status runGuarded(const Step& step, Decoder& decoder) {
  if (setjmp(decoder.leave)) return decoder.failure;
  jpeg_create_decompress(&decoder.info);
  decoder.info.client_data = &decoder;
  decoder.info.src = &decoder.source.base;
  decoder.info.progress = &decoder.progress;
  return run(step, decoder);
}

void resetErrors(j_common_ptr info) {
  info->err->num_warnings = 0;
  info->err->msg_code = 0;
}

void ignoreFormat(j_common_ptr, char*) {}

void prepareDecoder(Decoder& decoder) {
  decoder.errors.reset_error_mgr = resetErrors;
  decoder.errors.format_message = ignoreFormat;
  decoder.errors.error_exit = onError;
  decoder.errors.emit_message = onMessage;
  decoder.errors.output_message = ignoreText;
  decoder.progress.progress_monitor = onProgress;
  decoder.info.err = &decoder.errors;
  decoder.info.client_data = &decoder;
  decoder.source.base.init_source = ignoreSource;
  decoder.source.base.fill_input_buffer = fill;
  decoder.source.base.skip_input_data = skip;
  decoder.source.base.resync_to_restart = jpeg_resync_to_restart;
  decoder.source.base.term_source = ignoreSource;
}

Status prepare(Step& step) {
  if (step.params.size() < Words) return Code::BadParameters;
  const uint64_t bytes = uint64_t{step.params[TableBytes]} + step.params[HeaderBytes];
  if (step.params[StreamSpace] > kLastSpace || step.params[PixelSpace] > kLastSpace)
    return Code::BadParameters;
  if (bytes > kMaxTables || step.params.size() != Words + (bytes + 3) / 4)
    return Code::BadParameters;
  return prepareImage(step);
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (in.empty()) return Code::Truncated;
  ImageBudget budget;
  Decoder decoder = {};
  prepareDecoder(decoder);
  decoder.budget = &budget;
  const auto* bytes = reinterpret_cast<const uint8_t*>(step.params.data() + Words);
  decoder.tables = {bytes, step.params[TableBytes]};
  decoder.header = {bytes + step.params[TableBytes], step.params[HeaderBytes]};
  decoder.in = in;
  decoder.out = decodeRoom(step, out);
  const Status status = runGuarded(step, decoder);
  jpeg_destroy_decompress(&decoder.info);
  if (status) return status;
  result = decoder.out;
  return {};
}

}  // namespace

constinit const Codec kImageJpegCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
};

}  // namespace zw

#endif  // ZW_IMAGE_CODECS
