// Reproduces the bugs that upstream fixed in liblzma (cmake/patches/xz-*), by calling its
// internals.
#include "lzma_fixes.h"

#include "common.h"  // before its other headers

#include "index.h"
#include "lz_decoder.h"

int zwAppendAfterEmptyIndex(void) {
  lzma_index* index = lzma_index_init(NULL);
  if (!index) return -1;
  lzma_index_prealloc(index, 0);  // as in lzma_index_decoder for an Index without Records
  const lzma_ret result = lzma_index_append(index, NULL, 64, 100);
  lzma_index_end(index, NULL);
  return (int)result;
}

static lzma_ret setUp(lzma_lz_decoder* lz, const lzma_allocator* allocator, lzma_vli id,
                      const void* options, lzma_lz_options* lzOptions) {
  (void)lz, (void)allocator, (void)id;
  lzOptions->dict_size = *(const uint32_t*)options;
  lzOptions->preset_dict = NULL;
  return LZMA_OK;
}

typedef struct {
  int left;  // allocations that succeed before all others fail
} Budget;

static void* allocate(void* opaque, size_t count, size_t size) {
  Budget* budget = opaque;
  return budget->left-- > 0 ? malloc(count * size) : NULL;
}

static void release(void* opaque, void* pointer) {
  (void)opaque;
  free(pointer);
}

int zwDecoderAfterFailedAllocation(void) {
  Budget budget = {2};  // the coder and its first dictionary
  const lzma_allocator allocator = {allocate, release, &budget};
  uint32_t dictionary = 1 << 16;
  const lzma_filter_info filters[] = {{.init = NULL, .options = &dictionary}, {.init = NULL}};
  lzma_next_coder next = LZMA_NEXT_CODER_INIT;
  next.init = (uintptr_t)&lzma_lz_decoder_init;  // as set by lzma_next_filter_init
  const int small = (int)lzma_lz_decoder_init(&next, &allocator, filters, setUp);
  dictionary *= 2;
  const int large = (int)lzma_lz_decoder_init(&next, &allocator, filters, setUp);
  dictionary /= 2;
  const int again = (int)lzma_lz_decoder_init(&next, &allocator, filters, setUp);
  lzma_next_end(&next, &allocator);
  return small == LZMA_OK && large == LZMA_MEM_ERROR && again == LZMA_MEM_ERROR ? 0 : 1;
}
