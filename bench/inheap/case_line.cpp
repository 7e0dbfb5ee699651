#include "cases.hpp"

namespace zw::bench {

std::string caseLine(const Case& oneCase) {
  return "{\"name\":\"" + oneCase.name + "\",\"over\":\"" + oneCase.over + "\",\"input\":\"" +
         oneCase.input + "\",\"bytes\":" + std::to_string(oneCase.bytes) + "}";
}

}  // namespace zw::bench
