# Sourced by forkd: makes the JDK's AOT caches by a training run. Failure is silent, start-up then only takes longer.
# Uses: java, lib, cp, here, aot.

aot_make() {
  mkdir -p "$aot" 2>/dev/null && [ -w "$aot" ] || return 0
  (
    flock -n 8 || exit 0
    rm -f "$aot"/*.new
    echo "forkd: preparing a fast start (once, some 15 seconds)" >&2
    timeout 180 "$java" -XX:AOTCacheOutput="$aot/cli.aot.new" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData \
      --enable-native-access=ALL-UNNAMED "-Dforkd.home=$here" -cp "$cp" io.forkd.cli.Training "$aot/daemon.aot.new" \
      </dev/null >"$aot/log" 2>&1 8>&- || true
    for each in cli daemon; do
      [ ! -s "$aot/$each.aot.new" ] || mv "$aot/$each.aot.new" "$aot/$each.aot"
    done
    # Tried once per build and JDK, whether it worked or not.
    printf '%s\n' "$java" >"$aot/tried"
  ) 8>"$aot/lock"
}
