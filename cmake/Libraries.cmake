# Targets for the C libraries, each with only the files that the codecs need and with its own flags.
set(ZW_LIBRARIES)
