// Calls of liblzma's internals for lzma_codec_test.cpp.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Appends a record to an index that was set up for none: 0, or liblzma's error. Without the fix it
/// writes beyond the memory that it has allocated, which AddressSanitizer sees.
int zwAppendAfterEmptyIndex(void);

/// Initialises a decoder, then for a larger dictionary that there is no memory for, then as at first: 0 where the
/// last call says that there is no memory. Without the fix it succeeds, with a dictionary that is not there.
int zwDecoderAfterFailedAllocation(void);

#ifdef __cplusplus
}
#endif
