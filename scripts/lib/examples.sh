# The tests of Examples, which the package's own tests don't build. Sourced after setup.sh.
# shellcheck shell=bash

# Runs one of them, with its output in .build/NAME-example.log: all of it where it fails, the last line else.
example() {
  local name=$1 log=".build/$1-example.log" started=$SECONDS
  shift
  mkdir -p .build
  "$@" </dev/null >"$log" 2>&1 || {
    cat "$log" >&2
    say "Examples/$name: not as it should be"
    return 1
  }
  say "Examples/$name: good, $((SECONDS - started)) s"
}

# The vectors, the exchange, and the program over the virtual radio.
python_example() { (cd Examples/python && "$cache/python/bin/python" -m unittest); }

# The vectors through the core, over OpenSSL in the place of CryptoKit and CommonCrypto.
ios_example() {
  local folder=.build/ios-example
  mkdir -p "$folder"
  swiftc -swift-version 6 -warnings-as-errors -module-cache-path "$folder/modules" -I Examples/ios/Tests/COpenSSL \
    -o "$folder/vectors" Examples/ios/LatchkeyHolder.swift Examples/ios/Tests/*.swift &&
    "$folder/vectors" Tests/Vectors/air-protocol-1.json
}

# The vectors through the core, by Debian's Kotlin; takes half a minute of processor time.
android_example() {
  local folder=.build/android-example
  rm -rf "$folder"
  mkdir -p "$folder"
  "$cache/kotlinc" -d "$folder" Examples/android/LatchkeyHolder.kt Examples/android/tests/*.kt &&
    "$cache/kotlin" -cp "$folder" latchkey.VectorsTestKt Tests/Vectors/air-protocol-1.json
}
