// Calls of liblzma's internals for lzma_codec_test.cpp.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Appends a record to an index that was prepared for none. Returns 0 or liblzma's error. Without
/// the fix it writes past its allocation, which AddressSanitizer detects.
int zwAppendAfterEmptyIndex(void);

/// Initialises a decoder three times: with a small dictionary, with one too large to allocate, and
/// with the small one again. Returns 0 if the last call fails for lack of memory. Without the fix
/// it succeeds without a dictionary.
int zwDecoderAfterFailedAllocation(void);

#ifdef __cplusplus
}
#endif
