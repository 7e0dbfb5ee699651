// Decoding and encoding of chunks of 4 MiB, without the way in and out of the heap.
#include "cases.hpp"

namespace zw::bench {

void addDecodeCases(Cases& cases, std::function<Decode(const std::string&)> decoderOf) {
  const std::pair<const char*, const char*> codecs[] = {
      {"blosc lz4 shuffle", "c-blosc"},     {"blosc lz4 bitshuffle", "c-blosc"},
      {"blosc zstd shuffle", "c-blosc"},    {"blosc zstd bitshuffle", "c-blosc"},
      {"blosc blosclz shuffle", "c-blosc"}, {"blosc blosclz bitshuffle", "c-blosc"},
      {"zstd level 3", "libzstd"},          {"lz4", "liblz4"},
      {"gzip level 5", "libdeflate"},
  };
  const size_t bytes = 4 * kMiB;
  for (const auto& [codec, library] : codecs) {
    for (const char* corpus : {"microscopy", "field", "labels", "series"}) {
      const std::string name =
          std::string("decode ") + codec + ", " + corpus + ' ' + sizeName(bytes);
      cases.push_back({name, library, bytes,
                       [=, codec = std::string(codec)](const Input& input) {
                         Block out = noise(bytes);
                         return [=, decode = decoderOf(codec)] {
                           if (!decode(input.data.get(), input.bytes, out.get(), bytes))
                             std::abort();
                         };
                       },
                       std::string(corpus) + ": " + codec});
    }
  }
}

void addEncodeCases(Cases& cases,
                    std::function<Encode(const std::string&, uint32_t itemBytes)> encoderOf) {
  const std::pair<const char*, const char*> codecs[] = {
      {"blosc lz4 shuffle", "c-blosc"}, {"zstd level 3", "libzstd"}, {"gzip level 5", "libdeflate"}};
  const std::pair<const char*, uint32_t> corpora[] = {
      {"microscopy", 2}, {"field", 4}, {"labels", 4}, {"series", 8}};
  const size_t bytes = 4 * kMiB, room = bytes + bytes / 4;  // more than any of them asks for
  for (const auto& [codec, library] : codecs) {
    for (const auto& [corpus, itemBytes] : corpora) {
      const std::string name =
          std::string("encode ") + codec + ", " + corpus + ' ' + sizeName(bytes);
      cases.push_back({name, library, bytes,
                       [=, codec = std::string(codec), itemBytes = itemBytes](const Input& input) {
                         Block out = noise(room);
                         return [=, encode = encoderOf(codec, itemBytes)] {
                           if (!encode(input.data.get(), input.bytes, out.get(), room))
                             std::abort();
                         };
                       },
                       corpus});
    }
  }
}

}  // namespace zw::bench
