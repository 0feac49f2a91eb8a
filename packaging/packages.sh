# Sourced by forkd and check: what is missing of a list of Debian packages, and its installation.

packages_missing() { # FILE… -> the names that apply here and are not installed, on one line
  arch=$(dpkg --print-architecture 2>/dev/null || echo unknown)
  for name in $(sed 's/#.*//' "$@" | awk -v arch="[$arch]" 'NF == 1 || $2 == arch { print $1 }' | sort -u); do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || printf '%s ' "$name"
  done
}

packages_try() { # LOG NAME…
  log=$1
  shift
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@" >>"$log" 2>&1 </dev/null
}

packages_install() { # LOG NAME… ; as root, without questions
  log=$1
  shift
  [ "$(id -u)" = 0 ] || { echo "Only root can install packages. Next: sudo apt-get install $*" >&2; return 1; }
  # An index that is missing or old makes the first try fail; a fresh one is fetched only then.
  if ! packages_try "$log" "$@"; then
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 update >>"$log" 2>&1 </dev/null || true
    packages_try "$log" "$@" && return 0
    tail -n 15 "$log" >&2
    echo "apt-get install $* failed; all it said is in $log." >&2
    return 1
  fi
}
