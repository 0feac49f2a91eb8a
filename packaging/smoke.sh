#!/bin/sh
# smoke: walks through forkd as a newcomer would, with real guests, and says of each step whether it
# held. Run by ./check; by hand: packaging/smoke.sh [DATA-FOLDER]. Leaves nothing but DATA-FOLDER.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
FORKD_DATA=${1:-$here/build/vm-tests/smoke}
FORKD_RUN=/run/forkd-smoke-$$
NO_COLOR=1
export FORKD_DATA FORKD_RUN NO_COLOR
forkd=$here/forkd
out=$here/build/smoke.out
passed=0 failed=0
mkdir -p "$here/build"

step() { # DESCRIPTION EXPECTED-EXIT PATTERN COMMAND… : the command's output must contain the pattern
  what=$1 expected=$2 pattern=$3
  shift 3
  "$@" >"$out" 2>&1 </dev/null
  code=$?
  if [ "$code" = "$expected" ] && { [ -z "$pattern" ] || grep -Eq -- "$pattern" "$out"; }; then
    passed=$((passed + 1))
    echo "ok   $what"
  else
    failed=$((failed + 1))
    echo "FAIL $what: exit $code (expected $expected), looked for '$pattern' in:"
    tail -n 15 "$out" | sed 's/^/     | /'
  fi
}

leftovers() { # sandbox folders, and VMM processes that work in one
  ls "$FORKD_RUN/sb" 2>/dev/null | wc -l | tr '\n' ' '
  ls -l /proc/[0-9]*/cwd 2>/dev/null | grep -c "$FORKD_RUN/sb" || true
}

tidy() {
  "$forkd" kill --all >/dev/null 2>&1
  "$forkd" daemon stop >/dev/null 2>&1
  rm -rf "$FORKD_RUN" "$out" "$out.tree" "$out.watch"
}
trap tidy EXIT

step "a version" 0 '^forkd [0-9]' "$forkd" --version
step "help names the commands" 0 'quickstart' "$forkd" --help
step "doctor judges this host" 0 'kvm|KVM' "$forkd" doctor
step "doctor for programs" 0 '"checks"' "$forkd" doctor --json
step "quickstart from nothing to four answers" 0 '\[0\.0, 0\.0, 0\.0, 0\.0, 0\.0\]' "$forkd" quickstart --yes -n 4
step "quickstart again skips what is there" 0 '"(answers|children)"' "$forkd" quickstart --yes -n 2 --json
step "no daemon is left by it" 3 'daemon' "$forkd" daemon status
step "images lists the snapshot" 0 'python-numpy' "$forkd" images
step "an unknown tag is refused" 1 'no-such-tag' "$forkd" fork --tag no-such-tag -n 1
step "a bad tag is refused" 2 "not a tag" "$forkd" fork --tag ../etc -n 1
step "too many children are refused" 2 '1000' "$forkd" fork --tag python-numpy -n 1001
step "fork three with a memory limit" 0 'sb-' "$forkd" fork --tag python-numpy -n 3 --memory-limit-mib 256 --json
id=$(grep -o 'sb-[0-9a-f]*-[0-9]*' "$out" | head -n 1)
step "ls shows them" 0 "$id" "$forkd" ls
step "ping" 0 'pong' "$forkd" ping "$id" --json
step "eval keeps state (set)" 0 '' "$forkd" eval "$id" -- 'kept = 41'
step "eval keeps state (get)" 0 '42' "$forkd" eval "$id" -- 'kept + 1'
step "eval reports an error" 1 'ZeroDivisionError' "$forkd" eval "$id" -- '1/0'
step "exec gives the guest's exit code" 7 'from the guest' "$forkd" exec "$id" -- sh -c 'echo from the guest; exit 7'
step "exec streams what comes before the end" 0 '^early$' sh -c '"$1" exec --timeout 0 "$2" -- sh -c "echo early; while sleep 1; do echo late; done" | head -n 1' sh "$forkd" "$id"
step "exec passes its input on" 0 '^HELLO$' sh -c 'echo hello | "$1" exec -i "$2" -- tr a-z A-Z' sh "$forkd" "$id"
step "a signal ends exec as in a shell" 143 '' "$forkd" exec "$id" -- sh -c 'kill -TERM $$'
step "exec in a folder, with a variable" 0 '^/srv blue$' "$forkd" exec --cwd /srv -e COLOUR=blue "$id" -- sh -c 'echo $PWD $COLOUR'
step "a timeout kills" 137 'larger --timeout' "$forkd" exec --timeout 1 "$id" -- sleep 60
# Whoever runs this in the background has it ignore interruptions, which programs inherit.
step "an interruption reaches the program" 44 'caught' env --default-signal=INT script -qec "(until grep -q ready '$out'; do sleep 0.1; done; kill -INT \$\$) & exec '$forkd' exec --timeout 0 $id -- sh -c 'trap \"echo caught; exit 44\" INT; echo ready; sleep 60 & wait'" /dev/null
step "a terminal of the window's size" 9 '33 99' script -qec "stty rows 33 cols 99; '$forkd' shell $id -- sh -c 'stty size; exit 9'" /dev/null
step "a shell without a terminal" 5 'the answer is 42' sh -c 'echo "echo the answer is \$((6 * 7)); exit 5" | "$1" shell "$2"' sh "$forkd" "$id"
step "a program in the background" 0 '^[0-9]+$' "$forkd" exec --detach --tag nap "$id" -- sh -c 'echo kept; sleep 600'
nap=$(cat "$out")
step "ps shows it" 0 'running.*nap' "$forkd" ps "$id"
step "signal" 0 '' "$forkd" signal "$id" "$nap" TERM
step "attach replays what it wrote and ends as it did" 143 '^kept$' "$forkd" attach --replay "$id" "$nap"
tree=$out.tree
mkdir -p "$tree/from/deep"
head -c 3000000 /dev/urandom >"$tree/from/deep/noise"
ln -s deep/noise "$tree/from/link"
step "cp a file in" 0 '' "$forkd" cp "$tree/from/deep/noise" "$id:/srv/noise"
step "and out, the same" 0 '' sh -c '"$1" cp "$2:/srv/noise" "$3/noise" && cmp "$3/noise" "$3/from/deep/noise"' sh "$forkd" "$id" "$tree"
step "through the streams, the same" 0 '' sh -c '"$1" cp - "$2:/srv/noise2" <"$3/noise" && "$1" cp "$2:/srv/noise2" - | cmp - "$3/noise"' sh "$forkd" "$id" "$tree"
step "cp a folder in" 0 '' "$forkd" cp "$tree/from" "$id:/srv/tree"
step "and out, the same" 0 '' sh -c '"$1" cp "$2:/srv/tree" "$3/to" && diff -r "$3/from" "$3/to" && test -L "$3/to/link"' sh "$forkd" "$id" "$tree"
"$forkd" files watch -n 1 "$id" /srv >"$out.watch" 2>&1 &
watch=$!
until grep -q Watching "$out.watch" || ! kill -0 "$watch" 2>/dev/null; do sleep 0.1; done
step "files write" 0 '' sh -c 'echo text | "$1" files write "$2" /srv/watched' sh "$forkd" "$id"
wait "$watch"
step "files watch saw it" 0 'create +watched' cat "$out.watch"
step "files ls, chmod, mv, cat, rm" 0 '^text$' sh -c '"$1" files ls "$2" /srv && "$1" files chmod "$2" 0600 /srv/watched && "$1" files mv "$2" /srv/watched /srv/moved && "$1" files cat "$2" /srv/moved && "$1" files rm "$2" /srv/moved' sh "$forkd" "$id"
step "what is not there is said so" 1 'forkd: ' "$forkd" files stat "$id" /srv/moved
rm -rf "$tree" "$out.watch"
step "a variable for all that follows" 0 '' "$forkd" env "$id" SEASON=spring
step "is there" 0 '^spring$' "$forkd" exec "$id" -- printenv SEASON
step "metrics of the guest" 0 'memory' "$forkd" metrics "$id"
step "run-code prints and has a result" 0 '^41$' "$forkd" run-code "$id" 'kept = 41; print("printed"); kept'
step "and keeps its state, which eval shares" 0 '^42$' "$forkd" run-code "$id" 'kept + 1'
step "run-code tells what failed" 1 'ZeroDivisionError' "$forkd" run-code "$id" '1/0'
step "a context of its own" 0 '^[A-Za-z0-9_.:-]+$' "$forkd" context create "$id"
made=$(cat "$out")
step "does not have that state" 1 'NameError' "$forkd" run-code --context "$made" "$id" 'kept'
step "and goes" 0 "removed" "$forkd" context rm "$id" "$made"
step "the proof is shown over REST" 0 '"crng_reseeded": ?true' curl -sS --unix-socket "$FORKD_RUN/forkd.sock" "http://forkd/v1/sandboxes/$id"
step "healthz" 0 '"ok": ?true' curl -sS --unix-socket "$FORKD_RUN/forkd.sock" http://forkd/healthz
step "a web server in the sandbox" 0 '' "$forkd" exec "$id" -- sh -c 'mkdir -p /srv/www; echo hello from the guest > /srv/www/hello; cd /srv/www; nohup python3 -m http.server 8000 --bind 127.0.0.1 >/dev/null 2>&1 & until python3 -c "import socket; socket.create_connection((\"127.0.0.1\", 8000))" 2>/dev/null; do sleep 0.2; done'
proxy=http://forkd/v1/sandboxes/$id/ports
step "it answers through the daemon" 0 'hello from the guest' curl -sS --unix-socket "$FORKD_RUN/forkd.sock" "$proxy/8000/hello"
step "a port's root has a slash" 0 'Directory listing' curl -sSL --unix-socket "$FORKD_RUN/forkd.sock" "$proxy/8000"
step "where nothing listens it says so" 0 'othing listens.*502' curl -sS -w '%{http_code}' --unix-socket "$FORKD_RUN/forkd.sock" "$proxy/8001/"
"$forkd" port "$id" 0:8000 --json >"$out.port" 2>&1 &
forward=$!
until grep -q local_port "$out.port" || ! kill -0 "$forward" 2>/dev/null; do sleep 0.1; done
port=$(sed -n 's/.*"local_port": *\([0-9]*\).*/\1/p' "$out.port")
step "and on a port of this host" 0 'hello from the guest' curl -sS "http://127.0.0.1:$port/hello"
kill "$forward"
wait "$forward" 2>/dev/null
rm -f "$out.port"
step "no port of a sandbox that does not exist" 1 'no sandbox|gone' "$forkd" port sb-0000000000-0000 8000
step "a sandbox with limits, a lifetime, no egress, a variable and a label" 0 'sb-' "$forkd" fork --tag python-numpy -n 1 -e MOOD=calm --cpus 0.5 --ttl 1h --idle 30m --on-timeout pause --egress none --label team=blue --json
given=$(grep -o 'sb-[0-9a-f]*-[0-9]*' "$out" | head -n 1)
step "its own network, closed" 0 '"egress": ?"none"' "$forkd" info "$given" --json
step "its variable" 0 '^calm$' "$forkd" exec "$given" -- printenv MOOD
step "ls finds it by its label" 0 "$given" "$forkd" ls --label team=blue
step "a change while it runs" 0 '' "$forkd" update "$given" --egress allow:example.org,192.0.2.0/24 --label team=red
step "state before a pause" 0 '' "$forkd" eval "$given" -- 'before = 5'
step "pause" 0 '' "$forkd" pause "$given"
step "a paused sandbox says how to go on" 1 'forkd resume' "$forkd" eval "$given" -- 1
step "restart the daemon meanwhile" 0 '' "$forkd" daemon restart
step "resume" 0 '' "$forkd" resume "$given"
step "it goes on where it was" 0 '^5$' "$forkd" eval "$given" -- 'before'
step "a workspace" 0 'notes' "$forkd" workspace create notes --tag python-numpy
step "suspended" 0 'suspended' "$forkd" workspace suspend notes
step "and resumed" 0 'resumed notes' "$forkd" workspace resume notes
step "and removed" 0 '' "$forkd" workspace rm notes
step "a bad egress is refused" 2 'allowlist' "$forkd" fork --tag python-numpy --egress 'allow:not a name'
step "a sandbox that ended says why" 0 'killed' sh -c '"$1" kill "$2" && "$1" ls --ended' sh "$forkd" "$given"
step "top" 0 "$id" "$forkd" top --once
step "events of late" 0 'sandbox.ended' "$forkd" events
step "a key" 0 'fk_' "$forkd" key create "walker-$$" --role user --json
step "keys are listed without their secrets" 0 'walker' "$forkd" key ls
step "the API describes itself" 0 '"openapi": ?"3\.1' curl -sS --unix-socket "$FORKD_RUN/forkd.sock" http://forkd/openapi.json
step "ready" 0 '"ready": ?true' curl -sS --unix-socket "$FORKD_RUN/forkd.sock" http://forkd/readyz
step "metrics" 0 'forkd_fork_seconds_count' curl -sS --unix-socket "$FORKD_RUN/forkd.sock" http://forkd/metrics
step "the audit log knows who did what" 0 '"method"' cat "$FORKD_DATA/log/audit.jsonl"
step "branch it while it runs" 0 'live|diff' "$forkd" branch "$id" --tag point
step "change it after the branch" 0 '' "$forkd" eval "$id" -- 'kept = 1000'
step "a child of the branch has the state of its instant" 0 'sb-' "$forkd" fork --tag point -n 1 --json
child=$(grep -o 'sb-[0-9a-f]*-[0-9]*' "$out" | head -n 1)
step "which is 41" 0 '^41$' "$forkd" eval "$child" -- 'kept'
step "five children of the running sandbox in one call" 0 '"alive": ?5' "$forkd" fork --from "$id" -n 5 --tag five --json
step "a file only one of two has" 0 '' "$forkd" exec "$child" -- sh -c 'echo mine > /srv/mine'
step "diff shows it" 0 '\+mine' "$forkd" diff "$id" "$child"
step "rollback" 0 'back at point' "$forkd" rollback "$id" point
step "the rolled back state" 0 '^41$' "$forkd" eval "$id" -- 'kept'
step "a chain: snapshot-diff" 0 'tools' "$forkd" snapshot-diff --from point --tag tools --exec 'echo 1 > /srv/tool'
step "a failing command makes no snapshot" 1 'exit code 3' "$forkd" snapshot-diff --from point --tag never --exec 'exit 3'
step "snapshot-info tells the chain" 0 'python-numpy.*point.*tools' "$forkd" snapshot-info tools
step "a parent cannot be removed" 1 'tools' "$forkd" rmi point
step "tree shows the family" 0 'tools' "$forkd" tree
step "compact" 0 'flat' "$forkd" snapshot-compact --from tools --to flat
step "a flat child has the files of the chain" 0 'sb-' "$forkd" fork --tag flat -n 1 --json
flat=$(grep -o 'sb-[0-9a-f]*-[0-9]*' "$out" | head -n 1)
step "namely" 0 '^1$' "$forkd" exec "$flat" -- cat /srv/tool
step "a tag in use is refused" 1 'exists' "$forkd" branch "$id" --tag point
step "a bad duration is refused with an example" 2 '90s|15m|2h' "$forkd" branch "$id" --ttl soon
step "a branch that does not wait" 0 '"writing"|"ready"' "$forkd" branch "$id" --tag later --no-wait --ttl 1h --json
step "gc takes nothing that has not expired" 0 '' "$forkd" gc --dry-run
step "all branches can be removed at once" 0 'removed point' "$forkd" rmi point five flat --cascade
daemon=$(cat "$FORKD_RUN/daemon.pid")
kill -9 "$daemon"
step "after kill -9 of the daemon the sandbox still has its state" 0 '41' "$forkd" eval "$id" -- 'kept'
step "pool set" 0 'python-numpy' "$forkd" pool set python-numpy --warm 1
step "pool ls" 0 'python-numpy' "$forkd" pool ls
step "kill one" 0 '' "$forkd" kill "$id"
step "a killed sandbox is gone" 1 'gone|no sandbox' "$forkd" eval "$id" -- 1
step "kill the rest" 0 '' "$forkd" kill --all
step "no pool any more" 0 '' "$forkd" pool set python-numpy --warm 0
for delay in 0.05 0.15 0.3 0.5 0.8; do # a fork is under way when the daemon dies
  "$forkd" fork --tag python-numpy -n 6 >/dev/null 2>&1 &
  fork=$!
  sleep "$delay"
  kill -9 "$(cat "$FORKD_RUN/daemon.pid")" 2>/dev/null
  wait "$fork"
  step "a new daemon after kill -9, $delay s into a fork" 0 '' "$forkd" ls
  step "every child it found answers or is gone" 0 '' "$forkd" kill --all
  step "and nothing else is left" 0 '^0 0$' leftovers
done
step "a snapshot can be removed with all that depends on it" 0 '' "$forkd" rmi python-numpy --cascade
step "the daemon stops" 0 '' "$forkd" daemon stop
step "cleanup finds nothing left" 0 '' "$forkd" cleanup
step "no sandbox folder and no VMM process is left" 0 '^0 0$' leftovers

echo "smoke: $passed passed, $failed failed"
[ "$failed" = 0 ]
