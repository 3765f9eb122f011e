# SPDX-License-Identifier: MIT
#
# Make two targets for the headers in the directory _pe_includedir: what find_package(), add_subdirectory()
# and FetchContent share. Says in _pe_error what is wrong, if anything is.
#
#   posenc::posenc    the headers: each file that includes them contains what it calls
#   posenc::compiled  pe.h compiled once, as the static library posenc-compiled, with the project's own
#                     flags. target_compile_options(posenc-compiled PRIVATE -march=native) adds some. Only
#                     where C or C++ is enabled
#
#   POSENC_WITH_SLEEF   OFF   without SLEEF (default): the same bits, nearly the same speed
#                       ON    with SLEEF; an error if it is not there
#
# SLEEF is looked for where this project is configured, not where pe was installed: as the target
# sleef::sleef, by its own CMake package, then as a header and a library. POSENC_WITH_SLEEF is about
# CMake; PE_SLEEF=1 tells pe.h.

set(_pe_error "")
if(NOT TARGET posenc::posenc)
  set(_pe_sleef "")
  set(_pe_sleef_includedir "")
  get_property(_pe_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
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
        # A library for another machine, or one that lacks what its header declares, is no library.
        set(_pe_required_includes "${CMAKE_REQUIRED_INCLUDES}")
        set(_pe_required_libraries "${CMAKE_REQUIRED_LIBRARIES}")
        set(CMAKE_REQUIRED_INCLUDES "${POSENC_SLEEF_INCLUDE_DIR}")
        set(CMAKE_REQUIRED_LIBRARIES "${POSENC_SLEEF_LIBRARY}")
        set(_pe_source "#include <sleef.h>
            int main(int argc, char **argv)
            { (void)argv; return Sleef_sincospid1_u35purec(argc).x > 2.0; }")
        if("C" IN_LIST _pe_languages)
          include(CheckCSourceCompiles)
          check_c_source_compiles("${_pe_source}" POSENC_SLEEF_LINKS)
        elseif("CXX" IN_LIST _pe_languages)
          include(CheckCXXSourceCompiles)
          check_cxx_source_compiles("${_pe_source}" POSENC_SLEEF_LINKS)
        else()
          set(POSENC_SLEEF_LINKS TRUE)
        endif()
        set(CMAKE_REQUIRED_INCLUDES "${_pe_required_includes}")
        set(CMAKE_REQUIRED_LIBRARIES "${_pe_required_libraries}")
        if(POSENC_SLEEF_LINKS)
          set(_pe_sleef "${POSENC_SLEEF_LIBRARY}")
          set(_pe_sleef_includedir "${POSENC_SLEEF_INCLUDE_DIR}")
        endif()
        unset(_pe_source)
        unset(_pe_required_includes)
        unset(_pe_required_libraries)
      endif()
    endif()
    if(NOT _pe_sleef)
      set(_pe_error "POSENC_WITH_SLEEF is ${POSENC_WITH_SLEEF}, but SLEEF is not found or does not link: \
install it (libsleef-dev), add its place to CMAKE_PREFIX_PATH, or set POSENC_WITH_SLEEF to OFF")
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

    set(_pe_suffix "")
    if("C" IN_LIST _pe_languages)
      set(_pe_suffix c)
    elseif("CXX" IN_LIST _pe_languages)
      set(_pe_suffix cpp)
    endif()
    if(_pe_suffix)
      set(_pe_file "${CMAKE_CURRENT_BINARY_DIR}/posenc_compiled.${_pe_suffix}")
      if(NOT EXISTS "${_pe_file}")
        file(WRITE "${_pe_file}" "#define PE_EXTERN\n#define PE_IMPLEMENTATION\n#include \"pe.h\"\n")
      endif()
      add_library(posenc-compiled STATIC EXCLUDE_FROM_ALL "${_pe_file}")
      set_property(TARGET posenc-compiled PROPERTY POSITION_INDEPENDENT_CODE ON)
      target_link_libraries(posenc-compiled PRIVATE posenc::posenc)
      # Imported, as posenc::posenc is.
      add_library(posenc::compiled INTERFACE IMPORTED GLOBAL)
      set_target_properties(posenc::compiled PROPERTIES INTERFACE_COMPILE_DEFINITIONS PE_EXTERN
                                                    INTERFACE_LINK_LIBRARIES "posenc::posenc;posenc-compiled")
      unset(_pe_file)
    endif()
    unset(_pe_suffix)
  endif()
  unset(_pe_languages)
  unset(_pe_sleef)
  unset(_pe_sleef_includedir)
endif()
