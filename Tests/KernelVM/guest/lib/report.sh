# How a case fails, and how it waits. Sourced by one-case.

fail() {
  echo "$*" >/tmp/case.reason
  exit 1
}

# Something measured, shown behind the case's name.
note() { echo "$*" >>/tmp/case.note; }

# Waits until a command succeeds: await SECONDS WHAT COMMAND...; WHAT is the complaint where it doesn't.
await() {
  local end what
  end=$(($(cut -d. -f1 /proc/uptime) + $1))
  what="$2"
  shift 2
  until "$@"; do
    [ "$(cut -d. -f1 /proc/uptime)" -le "$end" ] || fail "no $what"
    usleep 50000
  done
}

# Waits until a file has so many lines that fit: await_line FILE REGEX [COUNT] [SECONDS]
await_line() { await "${4:-30}" "\"$2\" in $1" has_line "$1" "$2" "${3:-1}"; }

has_line() { [ "$(grep -c -E -e "$2" "$1" 2>/dev/null || true)" -ge "$3" ]; }

# Fails unless a file holds a text: expect_text FILE TEXT...
expect_text() {
  local file="$1" text
  shift
  for text in "$@"; do
    grep -q -F -e "$text" "$file" || fail "\"$text\" isn't in $file: $(head -c 400 "$file" | tr '\n' ' ')"
  done
}

expect_no_line() {
  if grep -q -E -e "$2" "$1"; then fail "there is \"$2\" in $1"; fi
}

# Runs a command that must end with a certain code; what it says goes to `said`: expect_exit CODE COMMAND...
expect_exit() {
  local wanted="$1" status=0
  shift
  "$@" >said 2>&1 </dev/null || status=$?
  cat said
  [ "$status" -eq "$wanted" ] || fail "exit $status instead of $wanted of $*: $(head -c 300 said | tr '\n' ' ')"
}
