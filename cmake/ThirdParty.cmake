# The C libraries behind the codecs, from pinned sources (scripts/sources.json):
#   -D<LIB>_SOURCE_DIR=…        sources that are already there
#   third_party/<lib>           put there by scripts/ from the Debian source package
#   else                        the upstream release, downloaded and checked by FetchContent
include(FetchContent)

set(ZW_SOURCES_JSON ${CMAKE_CURRENT_SOURCE_DIR}/scripts/sources.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ZW_SOURCES_JSON})
file(READ ${ZW_SOURCES_JSON} zw_sources)

# Sets <LIB>_SOURCE_DIR for the library `name` in the caller's scope.
function(zw_source name)
  string(TOUPPER ${name} upper)
  set(local ${CMAKE_CURRENT_SOURCE_DIR}/third_party/${name})
  if(${upper}_SOURCE_DIR)
    set(dir ${${upper}_SOURCE_DIR})
  elseif(EXISTS ${local})
    set(dir ${local})
  else()
    string(JSON url GET ${zw_sources} ${name} upstream url)
    string(JSON sha256 GET ${zw_sources} ${name} upstream sha256)
    FetchContent_Declare(zw_${name} URL ${url} URL_HASH SHA256=${sha256} SOURCE_SUBDIR none)
    FetchContent_MakeAvailable(zw_${name})
    set(dir ${zw_${name}_SOURCE_DIR})
  endif()
  set(${upper}_SOURCE_DIR ${dir} PARENT_SCOPE)
endfunction()

foreach(lib zstd lz4 libdeflate bzip2 xz)
  zw_source(${lib})
endforeach()
