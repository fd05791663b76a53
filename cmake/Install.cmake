# What an installation holds: the tools, the default bundle, and for authors
# outside this tree the language's headers with the target fa4gen::generator.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fa4gen)
set(include_dir ${CMAKE_INSTALL_INCLUDEDIR}/fa4gen)

foreach(tool fa4-gen fa4-opt)
  if(TARGET ${tool})
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/kernels/
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fa4gen/kernels
        FILES_MATCHING PATTERN "*.ptx" PATTERN "*.cubin" PATTERN "manifest.json"
        PATTERN "CMakeFiles" EXCLUDE)

# collect_libraries(VAR TARGET): adds TARGET and our own libraries below it.
function(collect_libraries variable target)
  list(APPEND ${variable} ${target})
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links)
    string(REGEX REPLACE "\\$<LINK_ONLY:(.*)>" "\\1" link "${link}")
    if(link MATCHES "^fa4" AND TARGET ${link} AND NOT ${link} IN_LIST ${variable})
      collect_libraries(${variable} ${link})
    endif()
  endforeach()
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()

# Headers are found as in this tree: "dsl/lang/KernelBuilder.h", and <fa4.h>.
set(libraries)
collect_libraries(libraries fa4_generator)
collect_libraries(libraries fa4_kernels)
collect_libraries(libraries fa4)
foreach(library IN LISTS libraries)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${include_dir}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  string(REPLACE "fa4_" "" export_name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${export_name})
  install(TARGETS ${library} EXPORT fa4gen ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/fa4gen)
endforeach()
install(DIRECTORY dsl/lang DESTINATION ${include_dir}/dsl FILES_MATCHING PATTERN "*.h")
install(FILES codegen/Generator.h DESTINATION ${include_dir}/codegen)
install(FILES kernels/attention/AttentionTiles.h DESTINATION ${include_dir}/kernels/attention)

install(EXPORT fa4gen NAMESPACE fa4gen:: DESTINATION ${package_dir})
configure_package_config_file(cmake/fa4genConfig.cmake.in
  ${PROJECT_BINARY_DIR}/fa4genConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fa4genConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fa4genConfig.cmake
              ${PROJECT_BINARY_DIR}/fa4genConfigVersion.cmake
        DESTINATION ${package_dir})
