# Sourced by forkd when its sources are newer than what was built: builds into build/, once at a time.
# Uses: here, JAVA_HOME.

build_say() { printf '%s\n' "forkd: $*" >&2; }

# Runs "$@" with its output in a log, and says that it lives while it takes long.
build_quietly() { # LOG WHAT COMMAND…
  log=$1 what=$2
  shift 2
  "$@" >>"$log" 2>&1 </dev/null &
  pid=$! seconds=0
  while kill -0 "$pid" 2>/dev/null; do
    sleep 1
    seconds=$((seconds + 1))
    if [ -t 2 ]; then
      printf '\r\033[K… %s (%s s)' "$what" "$seconds" >&2
    elif [ $((seconds % 20)) = 0 ]; then
      build_say "still $what ($seconds s)"
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
  wait "$pid"
}

build_needs() { # the programs the build calls; installs them when that was agreed to
  missing=$(packages_missing "$here/packaging/packages-build")
  [ -n "$missing" ] || return 0
  if [ "$agreed" = yes ]; then
    build_say "installing ${missing}(log in $here/build/apt.log)"
    # shellcheck disable=SC2086
    packages_install "$here/build/apt.log" $missing
    FORKD_INSTALLED="${FORKD_INSTALLED:+$FORKD_INSTALLED }${missing% }"
    export FORKD_INSTALLED
  else
    build_say "building needs packages that are not installed. Next: apt-get install $missing"
    return 1
  fi
}

# The jars in one folder and in one order, because an AOT cache is good for exactly one class path.
build_lib() {
  rm -rf "$here/build/lib.new"
  mkdir -p "$here/build/lib.new"
  cp "$here"/cli/target/lib/*.jar "$here/build/lib.new/"
  cp "$here"/cli/target/forkd-cli-*.jar "$here/build/lib.new/"
  rm -rf "$here/build/lib" "$here/build/aot"
  mv "$here/build/lib.new" "$here/build/lib"
}

build_forkd() {
  mkdir -p "$here/build"
  exec 9>"$here/build/lock"
  flock 9
  if forkd_fresh; then # another command built it while this one waited
    exec 9>&-
    return 0
  fi
  . "$here/packaging/packages.sh"
  build_needs || return 1
  began=$(mktemp "$here/build/began.XXXXXX")
  : >"$here/build/build.log"
  build_say "building forkd (a minute or two, log in $here/build/build.log)"
  if ! (cd "$here" && build_quietly "$here/build/build.log" "building forkd" ./mvnw -B -ntp -q -DskipTests -Dspotless.check.skip=true package) 9>&-; then
    rm -f "$began"
    grep -E 'ERROR|error:' "$here/build/build.log" | head -n 20 >&2
    build_say "the build failed. Next: see $here/build/build.log"
    return 1
  fi
  build_lib
  # Sources changed while Maven ran must count as newer than what it built.
  mv "$began" "$here/build/stamp"
  exec 9>&-
}
