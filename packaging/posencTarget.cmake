# SPDX-License-Identifier: MIT
#
# Make the targets posenc::posenc and posenc::compiled for the headers in the directory _pe_includedir. find_package(),
# add_subdirectory() and FetchContent share this file. If something is wrong, _pe_error says what.
#
#   posenc::posenc      the headers: each file that includes pe.h compiles what it calls
#   posenc::compiled    the same functions, compiled once, here, with the flags of this project: the static library
#                       posenc-compiled. Files that link with it see prototypes alone
#
#   POSENC_WITH_SLEEF   OFF   libm alone (default)
#                       ON    sines from SLEEF: the same bits, nearly the same speed; an error if it is not found
#
# SLEEF is looked for where this project is configured, not where pe was installed: as the target sleef::sleef, by its
# own CMake package, then as a header and a library. POSENC_WITH_SLEEF is for CMake; PE_SLEEF=1 tells pe.h.

set(_pe_error "")
if(NOT TARGET posenc::posenc)
  set(_pe_sleef "")
  set(_pe_sleef_includedir "")
  if(POSENC_WITH_SLEEF)
    if(NOT TARGET sleef::sleef)
      find_package(sleef CONFIG QUIET)
      if(TARGET sleef::sleef)
        set_target_properties(sleef::sleef PROPERTIES IMPORTED_GLOBAL TRUE)
      endif()
    endif()
    if(TARGET sleef::sleef)
      set(_pe_sleef sleef::sleef)
    else()
      find_path(POSENC_SLEEF_INCLUDE_DIR sleef.h DOC "where sleef.h is, for pe")
      find_library(POSENC_SLEEF_LIBRARY sleef DOC "SLEEF's library, for pe")
      mark_as_advanced(POSENC_SLEEF_INCLUDE_DIR POSENC_SLEEF_LIBRARY)
      if(POSENC_SLEEF_INCLUDE_DIR AND POSENC_SLEEF_LIBRARY)
        set(_pe_sleef "${POSENC_SLEEF_LIBRARY}")
        set(_pe_sleef_includedir "${POSENC_SLEEF_INCLUDE_DIR}")
      else()
        set(_pe_error "POSENC_WITH_SLEEF is ${POSENC_WITH_SLEEF}, but SLEEF is not found: install it \
(libsleef-dev), add its place to CMAKE_PREFIX_PATH, or set POSENC_WITH_SLEEF to OFF")
      endif()
    endif()
  endif()

  if(NOT _pe_error)
    # As the compiler would write it: a default directory must be seen to be one.
    get_filename_component(_pe_includedir "${_pe_includedir}" ABSOLUTE)
    # Imported, so that a project that exports its own targets need not export this one.
    add_library(posenc::posenc INTERFACE IMPORTED GLOBAL)
    set_property(TARGET posenc::posenc PROPERTY INTERFACE_INCLUDE_DIRECTORIES
                                        "${_pe_includedir}" ${_pe_sleef_includedir})
    if(_pe_sleef)
      set_property(TARGET posenc::posenc PROPERTY INTERFACE_COMPILE_DEFINITIONS PE_SLEEF=1)
      set_property(TARGET posenc::posenc APPEND PROPERTY INTERFACE_LINK_LIBRARIES "${_pe_sleef}")
    endif()
    if(UNIX OR MINGW)
      set_property(TARGET posenc::posenc APPEND PROPERTY INTERFACE_LINK_LIBRARIES m)
    endif()

    # A library of its own, and an imported target that stands for it: exports then ask for posenc::compiled by name.
    # Its functions are hidden, so that a shared library that has them exports none.
    get_property(_pe_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    set(_pe_language "")
    set(_pe_file "${_pe_includedir}/pe.c")
    if("C" IN_LIST _pe_languages)
      set(_pe_language C)
    elseif("CXX" IN_LIST _pe_languages)
      set(_pe_language CXX)
      set_source_files_properties("${_pe_file}" PROPERTIES LANGUAGE CXX) # it is also C++
    endif()
    if(_pe_language)
      add_library(posenc-compiled STATIC EXCLUDE_FROM_ALL "${_pe_file}")
      target_compile_definitions(posenc-compiled PUBLIC PE_EXTERN)
      target_link_libraries(posenc-compiled PUBLIC posenc::posenc)
      set_target_properties(posenc-compiled PROPERTIES C_STANDARD 99 CXX_STANDARD 11 POSITION_INDEPENDENT_CODE ON
                                                       C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
      if(CMAKE_${_pe_language}_COMPILER_ID MATCHES "GNU|Clang" AND NOT MSVC)
        # So that a program that links with --gc-sections has what it calls alone.
        target_compile_options(posenc-compiled PRIVATE -ffunction-sections -fdata-sections)
      endif()
      add_library(posenc::compiled INTERFACE IMPORTED GLOBAL)
      set_property(TARGET posenc::compiled PROPERTY INTERFACE_LINK_LIBRARIES posenc-compiled)
    endif()
    unset(_pe_languages)
    unset(_pe_language)
    unset(_pe_file)
  endif()
  unset(_pe_sleef)
  unset(_pe_sleef_includedir)
endif()
