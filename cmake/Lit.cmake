# fa4_lit_folder(FOLDER): one ctest entry, lit.FOLDER, for the .mlir and .test
# files of test/FOLDER and below.
find_program(FA4_LIT NAMES lit HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH REQUIRED)
configure_file(${PROJECT_SOURCE_DIR}/test/lit.site.cfg.py.in
               ${PROJECT_BINARY_DIR}/test/lit.site.cfg.py @ONLY)

function(fa4_lit_folder folder)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/test/${folder}/*.mlir
       ${PROJECT_SOURCE_DIR}/test/${folder}/*.test)
  if(tests)
    add_test(NAME lit.${folder}
             COMMAND ${FA4_LIT} -sv ${PROJECT_BINARY_DIR}/test/${folder})
  endif()
endfunction()
