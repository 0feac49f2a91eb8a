#!/bin/sh
# crash: kills the daemon with -9 at random instants while a sandbox is being branched, and says after
# each whether the source still runs with its state and whether every snapshot is whole or absent.
# Run by ./check; by hand: packaging/crash.sh [ROUNDS [DATA-FOLDER]]. The data folder must have the
# snapshot python-numpy or be empty.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
rounds=${1:-50}
FORKD_DATA=${2:-$here/build/vm-tests/smoke}
FORKD_RUN=/run/forkd-crash-$$
NO_COLOR=1
export FORKD_DATA FORKD_RUN NO_COLOR
forkd=$here/forkd
socket=$FORKD_RUN/forkd.sock
work=$here/build/crash
failed=0 ready=0 lost=0
mkdir -p "$work"

tidy() {
  "$forkd" kill --all >/dev/null 2>&1
  for tag in $("$forkd" images --json 2>/dev/null | grep -o '"tag": *"crash-[^"]*"' | grep -o 'crash-[^"]*'); do
    "$forkd" rmi "$tag" --cascade >/dev/null 2>&1
  done
  "$forkd" daemon stop >/dev/null 2>&1
  rm -rf "$FORKD_RUN" "$work"
}
trap tidy EXIT

fail() {
  failed=$((failed + 1))
  echo "FAIL round $round: $*"
}

random() { # a number below $1
  echo $(($(od -An -N2 -tu2 /dev/urandom) % $1))
}

branch_until_it_dies() { # branches without a pause, in every mode, waiting and not
  n=0
  while [ $n -lt 200 ]; do
    for mode in live diff full; do
      n=$((n + 1))
      [ $((n % 2)) = 0 ] && wait=true || wait=false
      curl -sS --max-time 60 --unix-socket "$socket" "http://forkd/v1/sandboxes/$id/branch" \
        -d "{\"tag\": \"crash-$round-$n\", \"mode\": \"$mode\", \"wait\": $wait}" >/dev/null 2>&1 || return 0
    done
  done
}

"$forkd" images --json 2>/dev/null | grep -q '"python-numpy"' || "$forkd" quickstart --yes -n 1 >"$work/quickstart" 2>&1
id=$("$forkd" fork --tag python-numpy -n 1 --json 2>/dev/null | grep -o 'sb-[0-9a-f]*-[0-9]*' | head -n 1)
round=0
"$forkd" eval "$id" -- 'import hashlib; kept = bytearray(hashlib.sha256(b"forkd").digest() * (8 << 15)); kept_digest = hashlib.sha256(kept).hexdigest()' >/dev/null || fail "the source cannot be prepared"

while [ "$round" -lt "$rounds" ]; do
  round=$((round + 1))
  daemon=$(cat "$FORKD_RUN/daemon.pid")
  branch_until_it_dies &
  loop=$!
  sleep "$(random 2).$(printf %03d "$(random 1000)")"
  kill -9 "$daemon"
  wait "$loop"
  answer=$("$forkd" eval "$id" --timeout-secs 60 -- 'hashlib.sha256(kept).hexdigest() == kept_digest' 2>"$work/said")
  [ "$answer" = True ] || fail "the source answered '$answer': $(cat "$work/said")"
  [ -z "$(ls "$FORKD_DATA/snapshots/.staging" 2>/dev/null)" ] || fail "half a snapshot is left in .staging"
  "$forkd" images --json >"$work/images" 2>&1 || fail "images: $(cat "$work/images")"
  grep -q '"status": *"writing"' "$work/images" && fail "a snapshot is still said to be written"
  newest=
  for tag in $(grep -o '"tag": *"crash-[^"]*"' "$work/images" | grep -o 'crash-[^"]*'); do
    case $("$forkd" snapshot-info "$tag" --json | grep -o '"status": *"[a-z]*"') in
      *ready*) ready=$((ready + 1)) newest=$tag ;;
      *failed*) lost=$((lost + 1)) ;;
      *) fail "$tag is in no known state" ;;
    esac
  done
  if [ -n "$newest" ] && [ $((round % 5)) = 0 ]; then
    child=$("$forkd" fork --tag "$newest" -n 1 --json 2>/dev/null | grep -o 'sb-[0-9a-f]*-[0-9]*' | head -n 1)
    answer=$("$forkd" eval "$child" -- 'hashlib.sha256(kept).hexdigest() == kept_digest' 2>"$work/said")
    [ "$answer" = True ] || fail "a child of $newest answered '$answer': $(cat "$work/said")"
    "$forkd" kill "$child" >/dev/null 2>&1
  fi
  for tag in $(grep -o '"tag": *"crash-[^"]*"' "$work/images" | grep -o 'crash-[^"]*'); do
    "$forkd" rmi "$tag" >"$work/rmi" 2>&1 || fail "rmi $tag: $(cat "$work/rmi")"
  done
done

"$forkd" kill --all >/dev/null 2>&1
vmms=$(ls -l /proc/[0-9]*/cwd 2>/dev/null | grep -c "$FORKD_RUN/sb")
folders=$(ls "$FORKD_RUN/sb" 2>/dev/null | wc -l)
notes=$(ls "$FORKD_DATA/snapshots/.pending" 2>/dev/null | wc -l)
[ "$vmms $folders $notes" = "0 0 0" ] || fail "left behind: $vmms VMMs, $folders folders, $notes notes"
echo "crash: $rounds kills, $ready whole snapshots, $lost given up and said so, $failed failures"
[ "$failed" = 0 ]
