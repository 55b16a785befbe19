# Run by cpack between installing and packing: from an installed prefix to what Debian's policy asks of a package.
set(notices ${CPACK_STALLCAST_PACKAGING}/third_party_notices.txt)

# FILE.gz in the place of FILE, the same bytes every time.
function(compress file)
  execute_process(COMMAND gzip --best --no-name --force ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The copyright file: whose this is, then what is compiled in. Debian has the texts of common licences installed.
function(write_copyright package doc)
  file(READ ${CPACK_STALLCAST_PACKAGING}/deb/copyright.${package} own)
  file(READ ${notices} others)
  file(WRITE ${doc}/copyright "${own}\n\n${others}")
endfunction()

function(write_debian_changelog package doc)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH where that is set
  file(WRITE ${doc}/changelog.Debian "${package} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Made by cpack; what changed is in the change log of stallcast.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  compress(${doc}/changelog.Debian)
endfunction()

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} key)
  set(package ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  set(share ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
  set(doc ${share}/doc/${package})
  file(MAKE_DIRECTORY ${doc})
  write_copyright(${package} ${doc})
  write_debian_changelog(${package} ${doc})
  file(REMOVE ${doc}/LICENSE ${doc}/third_party_notices.txt)  # both are in the copyright file
  if(EXISTS ${doc}/CHANGELOG.md)
    file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
    compress(${doc}/changelog)
  endif()
  file(GLOB pages ${share}/man/man1/*.1)
  foreach(page ${pages})
    compress(${page})
  endforeach()
  if(EXISTS ${share}/zsh/site-functions)  # Debian's zsh looks for packages' completions elsewhere
    file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
  endif()
endforeach()
