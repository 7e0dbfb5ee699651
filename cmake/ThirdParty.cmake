# Finds the sources of the C libraries, at pinned versions (scripts/sources.json), in this order:
#   -D<LIB>_SOURCE_DIR=…         an unpacked source folder
#   third_party/<lib>            the Debian source package, fetched by scripts/
#   third_party/archives/<file>  the upstream release, placed manually (for builds without a network)
#   download                     of the upstream release
# Upstream releases are checked against their hashes and patched with later fixes (Libraries.cmake).
include(FetchContent)

set(ZW_SOURCES_JSON ${CMAKE_CURRENT_SOURCE_DIR}/scripts/sources.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ZW_SOURCES_JSON})
file(READ ${ZW_SOURCES_JSON} zw_sources)

# zw_pinned_version(<library> <variable>): the version of the upstream release.
function(zw_pinned_version name variable)
  string(JSON version GET ${zw_sources} ${name} debian version)
  string(REGEX REPLACE "[+].*" "" version ${version}) # of Debian's repacked archive
  set(${variable} ${version} PARENT_SCOPE)
endfunction()

if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)
endif()

set(ZW_TO_DOWNLOAD)

# Sets <LIB>_SOURCE_DIR for the library `name` in the caller's scope if its sources exist. Otherwise appends `name` to
# ZW_TO_DOWNLOAD and sets the URL and hash for the download: zw_<lib>_url, zw_<lib>_sha256.
function(zw_find_source name)
  string(TOUPPER ${name} upper)
  set(local ${CMAKE_CURRENT_SOURCE_DIR}/third_party/${name})
  if(${upper}_SOURCE_DIR)
    return()
  elseif(EXISTS ${local})
    set(${upper}_SOURCE_DIR ${local} PARENT_SCOPE)
    return()
  endif()
  string(JSON url GET ${zw_sources} ${name} upstream url)
  string(JSON sha256 GET ${zw_sources} ${name} upstream sha256)
  get_filename_component(archive ${url} NAME)
  set(manual ${CMAKE_CURRENT_SOURCE_DIR}/third_party/archives/${archive})
  if(EXISTS ${manual})
    set(url ${manual})
  endif()
  set(zw_${name}_url ${url} PARENT_SCOPE)
  set(zw_${name}_sha256 ${sha256} PARENT_SCOPE)
  set(ZW_TO_DOWNLOAD ${ZW_TO_DOWNLOAD} ${name} PARENT_SCOPE)
endfunction()

set(zw_libraries zstd lz4 libdeflate bzip2 xz)
if(NOT ZW_INSTALL)
  list(APPEND zw_libraries libjpeg lerc libwebp openjpeg) # ImageLibraries.cmake
endif()
foreach(lib IN LISTS zw_libraries)
  zw_find_source(${lib})
endforeach()

set(zw_downloads)
foreach(lib IN LISTS ZW_TO_DOWNLOAD)
  if(zw_${lib}_url MATCHES "^https:" AND NOT EXISTS ${CMAKE_BINARY_DIR}/_deps/zw_${lib}-src)
    string(APPEND zw_downloads "\n   ${zw_${lib}_url}\n      SHA-256 ${zw_${lib}_sha256}")
  endif()
endforeach()
if(zw_downloads)
  message(STATUS "Downloading the sources of C libraries. If the downloads fail, put these files into "
    "third_party/archives/, or pass folders of unpacked sources: -D<LIB>_SOURCE_DIR=...${zw_downloads}")
endif()
foreach(lib IN LISTS ZW_TO_DOWNLOAD)
  FetchContent_Declare(zw_${lib} URL ${zw_${lib}_url} URL_HASH SHA256=${zw_${lib}_sha256} SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(zw_${lib})
  string(TOUPPER ${lib} upper)
  set(${upper}_SOURCE_DIR ${zw_${lib}_SOURCE_DIR})
endforeach()
