# cmake -D OUT=web_assets.cpp -D FUNCTIONS="name;..." -D FILES="file;..." -P embed.cmake: each file as a string that a
# function of core/report/document/web_assets.h returns.
set(source "#include \"core/report/document/web_assets.h\"\n\nnamespace stallcast {\n\n")
foreach(function file IN ZIP_LISTS FUNCTIONS FILES)
  file(READ "${file}" text)
  file(SHA256 "${file}" digest)
  string(APPEND source "WebAsset ${function}() {\n  return {R\"EMBEDDED(${text})EMBEDDED\",\n          \"${digest}\"};\n}\n\n")
endforeach()
string(APPEND source "}  // namespace stallcast\n")
file(WRITE "${OUT}" "${source}")
