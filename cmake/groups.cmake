set(CRUMPLE_GROUP "" CACHE STRING "Sources that are compiled as one, at most; empty: as many as make a whole build fast. Small groups make changes fast")

# Compiles up to `most` sources of a folder as one. Groups never span folders: tests compile some folders again with other methods, and two folders may
# use one name for different things.
function(compile_in_groups target most)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${CRUMPLE_UNITY} UNITY_BUILD_MODE GROUP)
  if(CRUMPLE_GROUP)
    set(most ${CRUMPLE_GROUP})
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    math(EXPR count_${folder} "${count_${folder}} + 1")
    math(EXPR group "(${count_${folder}} - 1) / ${most}")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()
