# cpack -G DEB: stallcast (command line), stallcast-gui (window) and python3-stallcast. What Debian asks beyond an installed prefix is done
# by deb/layout.cmake.
set(STALLCAST_MAINTAINER "stallcast maintainers <maintainers@stallcast.invalid>" CACHE STRING
    "Who made the packages: name and address")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR stallcast)
set(CPACK_PACKAGE_CONTACT ${STALLCAST_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cost and capacity planning for GPU training")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL cli)
if(TARGET stallcast-gui)
  list(APPEND CPACK_COMPONENTS_ALL gui)
endif()
if(TARGET stallcast_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_COMPONENT_GUI_DEPENDS cli)
set(CPACK_COMPONENT_PYTHON_DEPENDS cli)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_CLI_PACKAGE_NAME stallcast)
set(CPACK_DEBIAN_CLI_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_CLI_PACKAGE_SUGGESTS "chromium, python3")
set(CPACK_DEBIAN_CLI_DESCRIPTION "stallcast simulates training jobs on their machines, data loaders and
storage, from one step to weeks with checkpoints and failures. It says,
before anyone books hardware, how busy the GPUs will be, what holds them
back, what to change first, and what the run will cost. Every number it
uses has a source, every result an interval.
.
This package has the command line, the catalogue of machines and storage
tiers, and example scenarios.")
set(CPACK_DEBIAN_GUI_PACKAGE_NAME stallcast-gui)
set(CPACK_DEBIAN_GUI_PACKAGE_RECOMMENDS "qt6-wayland, fonts-dejavu-core")
set(CPACK_DEBIAN_GUI_DESCRIPTION "stallcast simulates training jobs on their machines, data loaders and
storage, and says how busy the GPUs will be, what holds them back and what
the run will cost.
.
This package has the desktop program: what-if on every field of a scenario
with a live answer, charts, the data path, timelines, and variants side by
side.")

# The module is for the one Python that it was made with; the next one needs another.
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-stallcast)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
math(EXPR python_after "${Python_VERSION_MINOR} + 1")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.${Python_VERSION_MINOR}~), python3 (<< 3.${python_after}~)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-pandas, python3-tqdm")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-torch, jupyter-notebook")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_SOURCE_DIR}/deb/python/postinst;${CMAKE_CURRENT_SOURCE_DIR}/deb/python/prerm")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "stallcast simulates training jobs on their machines, data loaders and
storage, and says how busy the GPUs will be, what holds them back and what
the run will cost.
.
This package has the Python module: scenarios, simulations, sweeps and
reports as functions, and for PyTorch the arguments of a data loader from
some seconds on a dataset.")

set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/deb/layout.cmake)
set(CPACK_STALLCAST_PACKAGING ${CMAKE_CURRENT_SOURCE_DIR})
include(CPack)
