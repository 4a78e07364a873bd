# Processes that a case starts; all end with it. Sourced by one-case.

started=""

# Starts a command that goes on, with its output in LOG: start LOG COMMAND...; its number is in `process`.
start() {
  local log="$1"
  shift
  : >"$log"
  "$@" >>"$log" 2>&1 </dev/null &
  process=$!
  started="$process $started"
}

# Ends a process by a signal and waits for its end; sets `status`: finish PROCESS [SIGNAL]
finish() {
  status=0
  kill "-${2:-TERM}" "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || status=$?
}

# Whatever a case has left, youngest first; and every adapter unblocked and down.
clear_away() {
  local process
  for process in $started; do finish "$process" KILL; done
  echo 0 | tee /sys/class/rfkill/rfkill*/soft >/dev/null 2>&1 || true
  for log in *.log *.json; do
    [ -s "$log" ] || continue
    echo "--- $log"
    tail -n 100 "$log"
  done
}
