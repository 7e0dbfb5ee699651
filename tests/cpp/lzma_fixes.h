// Calls of liblzma's internals for lzma_codec_test.cpp.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Appends a record to an index that was set up for none: 0, or liblzma's error. Without the fix it
/// writes beyond the memory that it has allocated, which AddressSanitizer sees.
int zwAppendAfterEmptyIndex(void);

/// Initialises a decoder twice without memory for its dictionary: 0 where both calls say so.
/// Without the fix the second succeeds, with a dictionary that is not there.
int zwDecoderAfterFailedAllocation(void);

#ifdef __cplusplus
}
#endif
