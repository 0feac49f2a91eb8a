package io.forkd.image;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class AptSourcesTest {
  private static final String KEYRING = "/usr/share/keyrings/archive-keyring.gpg";

  @Test
  void debianWithDeb822SourcesKeepsItsKeyringAndItsSecurityArchive() {
    String targets =
        target("Debian", "bookworm", "bookworm", "main", "http://m.example/debian/", "/a.sources:1")
            + target(
                "Debian",
                "bookworm",
                "bookworm",
                "contrib",
                "http://m.example/debian/",
                "/a.sources:1")
            + target(
                "Debian",
                "bookworm-updates",
                "bookworm-updates",
                "main",
                "http://m.example/debian/",
                "/a.sources:1")
            + target(
                "Debian",
                "bookworm-security",
                "bookworm-security",
                "main",
                "http://m.example/sec/",
                "/a.sources:2");
    String file =
        """
        Types: deb
        # a comment in a stanza
        URIs: http://m.example/debian
        Suites: bookworm bookworm-updates
        Components: main contrib
        Signed-By: %s

        Types: deb
        URIs: http://m.example/sec
        Suites: bookworm-security
        Components: main
        Signed-By:
         -----BEGIN PGP PUBLIC KEY BLOCK-----
         .
         abc
        """
            .formatted(KEYRING);

    assertThat(sources("bookworm", targets, file))
        .isEqualTo(
            """
            Types: deb
            URIs: http://m.example/debian/
            Suites: bookworm
            Components: main contrib
            Signed-By: %1$s

            Types: deb
            URIs: http://m.example/debian/
            Suites: bookworm-updates
            Components: main
            Signed-By: %1$s

            Types: deb
            URIs: http://m.example/sec/
            Suites: bookworm-security
            Components: main
            Signed-By:
             -----BEGIN PGP PUBLIC KEY BLOCK-----
             .
             abc

            """
                .formatted(KEYRING));
  }

  @Test
  void debian13WithoutSignedByReliesOnTheHostsTrustedKeys() {
    String targets =
        target("Debian", "trixie", "trixie", "main", "https://m.example/debian/", "/a.sources:1");

    assertThat(sources("trixie", targets, ""))
        .isEqualTo(
            "Types: deb\nURIs: https://m.example/debian/\nSuites: trixie\nComponents: main\n\n");
  }

  @Test
  void ubuntuNamesItsPocketsBySuiteWhileTheCodenameStaysTheSame() {
    String mirror = "http://m.example/ubuntu/";
    String targets =
        target("Ubuntu", "noble", "noble", "main", mirror, "/u.sources:1")
            + target("Ubuntu", "noble", "noble", "universe", mirror, "/u.sources:1")
            + target("Ubuntu", "noble", "noble-updates", "main", mirror, "/u.sources:1")
            + target("Ubuntu", "noble", "noble-security", "main", mirror, "/u.sources:1")
            + target("Ubuntu", "noble", "noble-backports", "main", mirror, "/u.sources:1");

    assertThat(sources("noble", targets, ""))
        .contains("Suites: noble\nComponents: main universe\n")
        .contains("Suites: noble-updates\n")
        .contains("Suites: noble-security\n")
        .doesNotContain("backports");
  }

  @Test
  void othersArchivesAndOtherReleasesAreLeftOut() {
    String targets =
        target("Some Vendor", "bookworm", "bookworm", "main", "http://v.example/", "/v.list:1")
            + target("Debian", "bookworm", "bookworm", "main", "http://m.example/", "/a.list:1")
            + target("Debian", "trixie", "trixie", "main", "http://m.example/", "/a.list:2");

    assertThat(sources("bookworm", targets, ""))
        .contains("http://m.example/")
        .doesNotContain("v.example")
        .doesNotContain("trixie");
  }

  @Test
  void aReleaseAptDoesNotKnowHasNoSources() {
    String updatesOnly =
        target("Debian", "sid-updates", "sid-updates", "main", "http://m.example/", "/a.list:1");

    assertThat(AptSources.forSuite("sid", "", name -> "")).isEmpty();
    assertThat(AptSources.forSuite("sid", updatesOnly, name -> "")).isEmpty();
  }

  @Test
  void aOneLineSourceNamesItsKeyringInItsOptions() {
    String file =
        """
        # deb [signed-by=/wrong.gpg] http://m.example/debian bookworm main
        deb [arch=amd64 signed-by=%s] http://m.example/debian bookworm main
        deb http://m.example/debian bookworm-updates main
        """
            .formatted(KEYRING);

    assertThat(AptSources.signedBy(file, "http://m.example/debian/", "bookworm"))
        .isEqualTo(KEYRING);
    assertThat(AptSources.signedBy(file, "http://m.example/debian/", "bookworm-updates")).isEmpty();
  }

  @Test
  void proxiesAndRetriesAreCarriedOverAndNothingElse() {
    String dump =
        """
        Acquire "";
        Acquire::http "";
        Acquire::http::Proxy "http://p.example:3128";
        Acquire::https::Verify-Peer "";
        Acquire::https::CAInfo "/etc/ssl/own.pem";
        Acquire::Retries "3";
        Acquire::Languages "";
        Acquire::IndexTargets::deb::Packages::MetaKey "x";
        """;

    assertThat(AptSources.reachability(dump))
        .containsExactly(
            "Acquire::http::Proxy \"http://p.example:3128\";",
            "Acquire::https::CAInfo \"/etc/ssl/own.pem\";",
            "Acquire::Retries \"3\";");
  }

  private static String sources(String suite, String targets, String file) {
    return AptSources.forSuite(suite, targets, name -> name.equals("/a.sources") ? file : "")
        .orElseThrow();
  }

  /**
   * A stanza as apt-get indextargets prints it, with the fields that matter and some that do not.
   */
  private static String target(
      String origin, String codename, String release, String component, String uri, String entry) {
    return """
        MetaKey: %3$s/binary-amd64/Packages
        Description: %4$s %2$s/%3$s amd64 Packages
        Codename: %6$s
        Origin: %1$s
        Component: %3$s
        Created-By: Packages
        Fallback-Of:\s
        Release: %2$s
        Repo-URI: %4$s
        Sourcesentry: %5$s
        Target-Of: deb

        MetaKey: %3$s/dep11/Components-amd64.yml
        Origin: %1$s
        Component: dep11
        Created-By: DEP-11
        Release: %2$s
        Repo-URI: %4$s

        """
        .formatted(origin, release, component, uri, entry, codename);
  }
}
