# cmake -D WEB=... -D OUT=... -D NPM=... -D NODE=... -P bundle.cmake: OUT/bundle.js and OUT/licences.txt from npm's
# packages. Both are empty where npm is missing or cannot reach its packages: the build goes on.
file(MAKE_DIRECTORY ${OUT})
set(why "npm or node is not installed")
if(NPM AND NODE)
  file(COPY ${WEB}/package.json ${WEB}/package-lock.json ${WEB}/charts.js DESTINATION ${OUT})
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error WORKING_DIRECTORY ${OUT}
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE why)
  if(NOT failed)
    execute_process(COMMAND ${NODE} ${WEB}/bundle.mjs ${OUT} ${OUT} RESULT_VARIABLE failed ERROR_VARIABLE why)
  endif()
  if(NOT failed)
    return()
  endif()
endif()
message(WARNING "Charts of reports will not be interactive: ${why}\nTo try again, remove ${OUT}/bundle.js and build.")
file(WRITE ${OUT}/bundle.js "")
file(WRITE ${OUT}/licences.txt "")
