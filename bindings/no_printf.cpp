// Embind's runtime prints the addresses of types into errors about types that nobody registered,
// which cannot come up: all functions of bindings.cpp are called in tests. It would be the only
// user of the C library's printf, which is 6 KB. Declared as in musl; LLVM turns sprintf without
// floating-point numbers into it.
extern "C" int siprintf(char* text, const char* /*format*/, ...) {
  *text = '\0';
  return 0;
}
