# The target `docs`: the API reference in <build>/docs/html, where doxygen is installed. Its warnings are errors.
find_program(TWOFOLD_DOXYGEN doxygen DOC "Writes the API reference (target docs)")
if(TWOFOLD_DOXYGEN)
  set(reference_dir ${PROJECT_BINARY_DIR}/docs)
  add_custom_target(
    docs
    # Doxygen keeps pages of headers that are gone.
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${reference_dir}/html
    COMMAND ${CMAKE_COMMAND} -E make_directory ${reference_dir}
    COMMAND ${CMAKE_COMMAND} -E env TWOFOLD_DOCS=${reference_dir} ${TWOFOLD_DOXYGEN} docs/Doxyfile
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMENT "API reference in ${reference_dir}/html"
    VERBATIM)
endif()
