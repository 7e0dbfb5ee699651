# zw_patched_copy(<source dir> <out dir> <patch file>...): copies a source tree to the build folder and applies
# the patches to the copy in this order. Patches that the sources already contain (distributions ship some of
# them) are skipped. Repeated only if a patch or the source folder changes; a patch that does not apply is a
# configuration error.
function(zw_patched_copy source out)
  set(stamp "${source}")
  foreach(patch IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${patch})
    file(SHA256 ${patch} hash)
    string(APPEND stamp " ${hash}")
  endforeach()
  if(EXISTS ${out}/patched.stamp)
    file(READ ${out}/patched.stamp done)
    if(done STREQUAL stamp)
      return()
    endif()
  endif()
  file(REMOVE_RECURSE ${out})
  # Not file(COPY), which keeps modification times: files that a patch no longer changes must be recompiled.
  execute_process(COMMAND ${CMAKE_COMMAND} -E copy_directory ${source} ${out} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${source} cannot be copied to ${out}")
  endif()
  foreach(patch IN LISTS ARGN)
    zw_apply_patch(${patch} ${out})
  endforeach()
  file(WRITE ${out}/patched.stamp "${stamp}")
endfunction()

# Applies a patch to a folder, unless it is already applied.
function(zw_apply_patch patch dir)
  find_program(ZW_PATCH patch)
  find_program(ZW_GIT git)
  mark_as_advanced(ZW_PATCH ZW_GIT)
  if(ZW_PATCH)
    set(apply ${ZW_PATCH} -p1 --forward --fuzz=0 -i ${patch})
    set(is_applied ${ZW_PATCH} -p1 --reverse --force --dry-run --fuzz=0 -i ${patch})
  elseif(ZW_GIT)
    # The ceiling hides a repository around the build folder: inside one, git resolves paths from its root
    # and silently skips files outside the current folder.
    get_filename_component(parent ${dir} DIRECTORY)
    set(git ${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${parent} ${ZW_GIT})
    set(apply ${git} apply -p1 ${patch})
    set(is_applied ${git} apply -p1 --reverse --check ${patch})
  else()
    message(FATAL_ERROR "patch or git is needed to prepare ${dir}")
  endif()
  execute_process(COMMAND ${is_applied} WORKING_DIRECTORY ${dir} RESULT_VARIABLE is_missing
    OUTPUT_QUIET ERROR_QUIET)
  if(NOT is_missing)
    return()
  endif()
  execute_process(COMMAND ${apply} WORKING_DIRECTORY ${dir} RESULT_VARIABLE failed
    OUTPUT_VARIABLE log ERROR_VARIABLE log)
  if(failed)
    file(REMOVE_RECURSE ${dir})
    message(FATAL_ERROR "${patch} does not apply:\n${log}")
  endif()
endfunction()
