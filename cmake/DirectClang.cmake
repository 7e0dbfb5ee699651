# Compiles with Emscripten's clang instead of emcc, a Python program that takes longer to start than clang takes for a
# small file. emcc remains if it compiles a sample to other bytes, or does not print its command and flags.

# zw_find_clang(<variable> <language>): the command that replaces emcc or em++; empty if there is none.
function(zw_find_clang variable language)
  set(${variable} "" PARENT_SCOPE)
  set(emcc ${CMAKE_${language}_COMPILER})
  string(REPLACE CXX cpp ending ${language})
  string(TOLOWER ${ending} ending)
  set(sample ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/sample.${ending})
  file(WRITE ${sample} "int sum(const int* p, int n) {\n  int s = 0;\n  while (n > 0) s += p[--n];\n  return s;\n}\n")
  set(compile -O3 -msimd128 -mbulk-memory -fno-exceptions -c ${sample} -o)
  execute_process(COMMAND ${emcc} --cflags OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${emcc} -v ${compile} ${sample}.emcc.o OUTPUT_QUIET ERROR_VARIABLE log)
  if(NOT log MATCHES "^ *\"?([^\" ]*clang[^\" ]*)")
    return()
  endif()
  set(clang ${CMAKE_MATCH_1})
  separate_arguments(arguments UNIX_COMMAND "${flags}")
  execute_process(COMMAND ${clang} ${arguments} ${compile} ${sample}.clang.o OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${sample}.emcc.o ${sample}.clang.o
    RESULT_VARIABLE differ OUTPUT_QUIET ERROR_QUIET)
  if(NOT differ)
    set(${variable} "${clang} ${flags}" PARENT_SCOPE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${clang}) # an upgrade replaces it
  endif()
endfunction()

foreach(language C CXX)
  zw_find_clang(zw_clang_${language} ${language})
  if(zw_clang_${language})
    string(REPLACE <CMAKE_${language}_COMPILER> "${zw_clang_${language}}"
      CMAKE_${language}_COMPILE_OBJECT "${CMAKE_${language}_COMPILE_OBJECT}")
  endif()
  set(CMAKE_${language}_ARCHIVE_FINISH "") # emar has written the index
endforeach()
