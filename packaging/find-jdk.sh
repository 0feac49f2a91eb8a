# Sourced by forkd, mvnw, check and others: find_jdk prints the home of the newest JDK >= 25, or says how to get one. Uses: here.

jdk_major() { # HOME -> the JDK's major version, from its release file
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null
}

jdk_serves() { # HOME ; an installed copy compiles nothing, so that a runtime serves it
  [ -x "$1/bin/java" ] && { [ -x "$1/bin/javac" ] || [ ! -f "${here:-.}/pom.xml" ]; }
}

find_jdk() {
  best= best_major=0
  on_path=$(command -v javac 2>/dev/null || command -v java 2>/dev/null || true)
  [ -z "$on_path" ] || on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")
  for home in "${FORKD_JAVA_HOME:-}" "${JAVA_HOME:-}" "$on_path" \
      /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* /usr/local/jdk* "${HOME:-/root}"/.sdkman/candidates/java/*; do
    [ -n "$home" ] && jdk_serves "$home" || continue
    major=$(jdk_major "$home")
    [ -n "$major" ] && [ "$major" -gt "$best_major" ] || continue
    best=$home best_major=$major
  done
  if [ "$best_major" -ge 25 ]; then
    printf '%s\n' "$best"
    return 0
  fi
  {
    echo "forkd needs a JDK 25 or newer and found $([ "$best_major" -gt 0 ] && echo "only JDK $best_major in $best" || echo none)."
    if apt-cache policy openjdk-25-jdk-headless 2>/dev/null | grep -q 'Candidate: [0-9]'; then
      echo "Next: apt-get install openjdk-25-jdk-headless"
    else
      echo "Next: this release has no openjdk-25 package; add Eclipse Temurin's apt repository and install temurin-25-jdk,"
      echo "or unpack any JDK 25 and set FORKD_JAVA_HOME to its folder."
    fi
  } >&2
  return 1
}
