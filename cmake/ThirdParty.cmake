# The C libraries behind the codecs, from pinned sources (scripts/sources.json):
#   -D<LIB>_SOURCE_DIR=…        sources that are already there
#   third_party/<lib>           put there by scripts/ from the Debian source package
#   third_party/archives/<file> the upstream release, put there by hand (no network is needed then)
#   else                        the upstream release, downloaded
# The upstream releases are checked against their hashes and get upstream's later fixes (Libraries.cmake).
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
    get_filename_component(archive ${url} NAME)
    set(by_hand third_party/archives/${archive})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${by_hand})
      set(url ${CMAKE_CURRENT_SOURCE_DIR}/${by_hand})
    elseif(NOT EXISTS ${FETCHCONTENT_BASE_DIR}/zw_${name}-src)
      message(STATUS "Downloading the sources of ${name}: ${url}\n"
        "   Where that cannot be reached, put the file (SHA-256 ${sha256}) there by hand:\n"
        "   ${by_hand}\n"
        "   or give the folder of its unpacked sources: -D${upper}_SOURCE_DIR=...")
    endif()
    FetchContent_Declare(zw_${name} URL ${url} URL_HASH SHA256=${sha256} SOURCE_SUBDIR none)
    FetchContent_MakeAvailable(zw_${name})
    set(dir ${zw_${name}_SOURCE_DIR})
  endif()
  set(${upper}_SOURCE_DIR ${dir} PARENT_SCOPE)
endfunction()

foreach(lib zstd lz4 libdeflate bzip2 xz)
  zw_source(${lib})
endforeach()
