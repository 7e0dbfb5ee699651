// Decoding and encoding of chunks, without copies into and out of the heap. 4 MiB; and 4 KiB, which
// shows the overhead of a call.
#include "cases.hpp"

namespace zw::bench {

namespace {

struct NamedCodec {
  const char* name;     // name in bench/codecs.mjs
  const char* library;  // its decoder in libraries.cpp
};

void addDecode(Cases& cases, const NamedCodec& codec, const std::string& corpus, size_t bytes,
               const DecoderOf& decoderOf) {
  // The default size of encoded corpora in codecs.mjs is 4 MiB.
  const std::string input = bytes == 4 * kMiB ? corpus : corpus + ' ' + sizeName(bytes);
  const std::string name = codec.name;
  cases.push_back({"decode " + name + ", " + corpus + ' ' + sizeName(bytes), codec.library, bytes,
                   [=](const Input& encoded) {
                     Block out = noise(bytes);
                     return [=, decode = decoderOf(name, bytes)] {
                       if (!decode(encoded.data.get(), encoded.bytes, out.get(), bytes))
                         std::abort();
                     };
                   },
                   input + ": " + name});
}

}  // namespace

void addDecodeCases(Cases& cases, const DecoderOf& decoderOf) {
  const NamedCodec codecs[] = {
      {"blosc lz4 shuffle", "c-blosc"},     {"blosc lz4 bitshuffle", "c-blosc"},
      {"blosc zstd shuffle", "c-blosc"},    {"blosc zstd bitshuffle", "c-blosc"},
      {"blosc blosclz shuffle", "c-blosc"}, {"blosc blosclz bitshuffle", "c-blosc"},
      {"zstd level 3", "libzstd"},          {"lz4", "liblz4"},
      {"gzip level 5", "libdeflate"},
  };
  for (const NamedCodec& codec : codecs) {
    for (const char* corpus : {"microscopy", "field", "labels", "series"}) {
      addDecode(cases, codec, corpus, 4 * kMiB, decoderOf);
    }
  }
  const NamedCodec small[] = {
      {"blosc lz4 shuffle", "c-blosc"}, {"zstd level 3", "libzstd"}, {"lz4", "liblz4"}};
  for (const NamedCodec& codec : small) {
    addDecode(cases, codec, "field", 4 * kKiB, decoderOf);
  }
}

void addEncodeCases(Cases& cases, const EncoderOf& encoderOf) {
  const NamedCodec codecs[] = {{"blosc lz4 shuffle", "c-blosc"},
                               {"zstd level 3", "libzstd"},
                               {"gzip level 5", "libdeflate"}};
  const std::pair<const char*, uint32_t> corpora[] = {
      {"microscopy", 2}, {"field", 4}, {"labels", 4}, {"series", 8}};
  const size_t bytes = 4 * kMiB, room = bytes + bytes / 4;  // more than any encoder needs
  for (const NamedCodec& codec : codecs) {
    for (const auto& [corpus, itemBytes] : corpora) {
      const std::string name =
          std::string("encode ") + codec.name + ", " + corpus + ' ' + sizeName(bytes);
      cases.push_back(
          {name, codec.library, bytes,
           [=, codec = std::string(codec.name), itemBytes = itemBytes](const Input& in) {
             Block out = noise(room);
             return [=, encode = encoderOf(codec, itemBytes)] {
               if (!encode(in.data.get(), in.bytes, out.get(), room)) std::abort();
             };
           },
           corpus});
    }
  }
}

}  // namespace zw::bench
