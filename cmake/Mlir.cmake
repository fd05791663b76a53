# Finds Debian's LLVM/MLIR 22 and defines how a compiler library is built.
find_package(MLIR 22.1 REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
# TableGen's generated headers mirror the source tree below the build folder.
include_directories(${PROJECT_BINARY_DIR})
separate_arguments(fa4_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")

# libMLIR.so is not in the loader's default path.
set(CMAKE_BUILD_RPATH ${LLVM_LIBRARY_DIR})
set(CMAKE_INSTALL_RPATH ${LLVM_LIBRARY_DIR})

# fa4_compiler_library(NAME sources...): a static library against the shared
# LLVM and MLIR, without exceptions as they are built, on the common
# precompiled header (upstream headers only).
function(fa4_compiler_options target)
  # -fPIC in tools too: a precompiled header is valid only where it agrees.
  target_compile_options(${target} PRIVATE -fno-exceptions -fPIC)
  target_compile_definitions(${target} PRIVATE ${fa4_llvm_definitions})
  if(TARGET fa4_pch AND NOT ${target} STREQUAL fa4_pch)
    target_precompile_headers(${target} REUSE_FROM fa4_pch)
  endif()
endfunction()

function(fa4_compiler_library name)
  add_library(${name} STATIC ${ARGN})
  fa4_compiler_options(${name})
  target_link_libraries(${name} PUBLIC MLIR LLVM)
  if(TARGET fa4_tile_gen)
    add_dependencies(${name} fa4_tile_gen)
  endif()
endfunction()

function(fa4_compiler_tool name)
  add_executable(${name} ${ARGN})
  fa4_compiler_options(${name})
  target_link_libraries(${name} PRIVATE MLIR LLVM)
  if(TARGET fa4_tile_gen)
    add_dependencies(${name} fa4_tile_gen)
  endif()
endfunction()

file(WRITE ${PROJECT_BINARY_DIR}/pch.cpp "")
add_library(fa4_pch STATIC ${PROJECT_BINARY_DIR}/pch.cpp)
fa4_compiler_options(fa4_pch)
target_precompile_headers(fa4_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)
