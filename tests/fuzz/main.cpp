// zw_fuzz --target=NAME [libFuzzer arguments]: fuzzes one target.
// zw_fuzz --list: prints the names of all targets.
#include <cstring>
#include <iterator>

#include "targets.hpp"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t maxBytes);

namespace zw::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> list;
    for (const auto make :
         {planTargets, bloscTargets, stridedTargets, kernelTargets, accumulateTargets,
          expressionTargets, zstdFrameTargets, zstdTargets, libraryTargets}) {
      for (Target& target : make()) list.push_back(std::move(target));
    }
    return list;
  }();
  return all;
}

namespace {

const Target* chosen = nullptr;

const Target* findTarget(const std::string& name) {
  for (const Target& target : targets()) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

[[noreturn]] void listTargets() {
  for (const Target& target : targets()) std::printf("%s\n", target.name.c_str());
  std::exit(0);
}

/// Sets a word of the head, usually one of the plan, to a small or an extreme number.
void setWord(uint8_t* head, size_t size, uint32_t random) {
  static constexpr uint32_t kEdges[] = {0xff,    0x100,      0xffff,     0x10000,
                                        1 << 20, 0x7fffffff, 0x80000000, 0xffffffff};
  constexpr size_t kFirst = 2;  // after the number of words
  const auto words = static_cast<uint32_t>((size - kFirst) / 4);
  const uint32_t choice = random / words;
  const uint32_t value = choice % 4 ? choice / 4 % 40 : kEdges[choice / 4 % std::size(kEdges)];
  store(head + kFirst + 4 * (random % words), value);
}

}  // namespace
}  // namespace zw::fuzz

using zw::fuzz::chosen;

// libFuzzer ignores arguments with two dashes.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr char kOption[] = "--target=";
  for (int i = 1; i < *argc; i++) {
    const char* argument = (*argv)[i];
    if (std::strcmp(argument, "--list") == 0) zw::fuzz::listTargets();
    if (std::strncmp(argument, kOption, sizeof(kOption) - 1) != 0) continue;
    chosen = zw::fuzz::findTarget(argument + sizeof(kOption) - 1);
  }
  if (!chosen) {
    std::fprintf(stderr, "usage: zw_fuzz --target=NAME …; zw_fuzz --list names them\n");
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  chosen->run({data, size});
  return 0;
}

/// Mostly changes only the data: a plan with a random word is rejected at once and does not reach
/// the decoders.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxBytes,
                                          unsigned int seed) {
  const size_t head = chosen->headBytes ? chosen->headBytes({data, size}) : 0;
  if (head >= 6 && head <= size && seed % 8 == 1) {
    zw::fuzz::setWord(data, head, seed / 8);
    return size;
  }
  if (head >= size || seed % 8 == 0) return LLVMFuzzerMutate(data, size, maxBytes);
  return head + LLVMFuzzerMutate(data + head, size - head, maxBytes - head);
}
