#!/usr/bin/env bash
# Builds the fuzz targets into $OUT in the layout that ClusterFuzzLite and OSS-Fuzz expect: the binaries, and beside each
# its seed corpus (zip), dictionary and options. Both run it in their builder's image; it works the same on any machine
# with the toolchain:
#
#   OUT=/some/folder .clusterfuzzlite/build.sh [TARGET...]
#
# $OUT        where things go (required)
# $SANITIZER  address (default), thread or coverage
# $WORK       for what is not kept (default: .build/clusterfuzzlite)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ -f Package.swift ] || cd "${SRC:?}/socketlab"

: "${OUT:?the folder that the targets go to}"
sanitizer="${SANITIZER:-address}"
work="${WORK:-.build/clusterfuzzlite}/$sanitizer"
lane_flags=()
case "$sanitizer" in
  address) lane_flags=(-Xswiftc -sanitize=fuzzer,address -Xcc -fsanitize=address) ;;
  thread) lane_flags=(-Xswiftc -sanitize=fuzzer,thread -Xcc -fsanitize=thread) ;;
  coverage) lane_flags=(-Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping) ;;
  *)
    echo "build.sh: there is no lane for the sanitizer $sanitizer (address, thread, coverage)" >&2
    exit 2
    ;;
esac

pack() {
  local archive="$1"
  shift
  if command -v zip >/dev/null 2>&1; then
    zip -q -j "$archive" "$@"
  else
    python3 - "$archive" "$@" <<'PY'
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for path in sys.argv[2:]:
        archive.write(path, os.path.basename(path))
PY
  fi
}

targets=("$@")
if [ "${#targets[@]}" -eq 0 ]; then
  for folder in Fuzz/*/; do
    name=$(basename "$folder")
    # A target is a folder with a program; the canary's bug is planted.
    if compgen -G "$folder*.swift" >/dev/null && [ "$name" != canary ]; then targets+=("$name"); fi
  done
fi

mkdir -p "$OUT/lib" "$work"
for name in "${targets[@]}"; do
  product="fuzz_$name"
  # Nothing of the toolchain is there where the targets run, so its libraries are linked in; OpenSSL travels beside them.
  swift build -c release --build-system native --product "$product" --scratch-path "$work" --static-swift-stdlib \
    --sanitize fuzzer "${lane_flags[@]}" -Xswiftc -use-ld=lld -Xswiftc -DFUZZING -Xlinker -rpath -Xlinker '$ORIGIN/lib'
  cp "$work/release/$product" "$OUT/$product"
  ldd "$OUT/$product" | awk '/lib(ssl|crypto)\.so/ { print $3 }' | xargs -r -I{} cp -n {} "$OUT/lib/"

  inputs=()
  for folder in "Fuzz/corpus/$name" "Fuzz/seeds/$name" "Fuzz/regressions/$name"; do
    [ -d "$folder" ] || continue
    while IFS= read -r -d '' file; do inputs+=("$file"); done < <(find "$folder" -type f -print0 | sort -z)
  done
  rm -f "$OUT/${product}_seed_corpus.zip"
  if [ "${#inputs[@]}" -gt 0 ]; then pack "$OUT/${product}_seed_corpus.zip" "${inputs[@]}"; fi
  if [ -f "Fuzz/dict/$name.dict" ]; then cp "Fuzz/dict/$name.dict" "$OUT/$product.dict"; fi
  {
    echo "[libfuzzer]"
    echo "timeout = 10"
    if [ -f "Fuzz/dict/$name.dict" ]; then echo "dict = $product.dict"; fi
    # An input that hops between threads looks like a leak each time.
    if [ "$name" = lifecycle ]; then echo "detect_leaks = 0"; fi
  } >"$OUT/$product.options"
  echo "$product: ${#inputs[@]} inputs in its seed corpus"
done
