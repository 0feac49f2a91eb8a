#!/bin/sh
# Runs the daemon in the foreground, for systemd and containers: forkd's own `daemon start` puts it into the background.
set -eu
here=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
if [ -f "$here/pom.xml" ]; then lib=$here/build/lib; else lib=$here/lib; fi
if [ ! -d "$lib" ]; then
  echo "forkd: $lib is missing. Next: run ./forkd --version once, which builds it" >&2
  exit 1
fi
. "$here/packaging/find-jdk.sh"
JAVA_HOME=${FORKD_JAVA_HOME:-$(find_jdk)}
cp=
for jar in "$lib"/*.jar; do cp=$cp${cp:+:}$jar; done
exec "$JAVA_HOME/bin/java" -XX:+UseSerialGC -XX:-UsePerfData "-Xmx${FORKD_HEAP:-512m}" --enable-native-access=ALL-UNNAMED \
  "-Dforkd.home=$here" -cp "$cp" io.forkd.server.DaemonMain --recipes "${FORKD_RECIPES:-$here/recipes}" "$@"
