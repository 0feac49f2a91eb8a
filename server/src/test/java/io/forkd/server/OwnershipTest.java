package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.core.Sandbox;
import io.forkd.core.Snapshot;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class OwnershipTest {
  private Tenants tenants;

  @BeforeEach
  void start() throws IOException {
    tenants = new Tenants();
  }

  @AfterEach
  void stop() throws IOException {
    tenants.close();
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/sandboxes, id",
    "/v1/sandboxes/usage, id",
    "/v1/sandboxes/ended, id",
    "/v1/workspaces, name"
  })
  void listsShowWhatIsOnesOwn(String path, String field) throws IOException {
    assertThat(texts(tenants.alice, path, field)).isNotEmpty();
    assertThat(texts(tenants.bob, path, field)).isEmpty();
    assertThat(texts(tenants.aliceReader, path, field))
        .isEqualTo(texts(tenants.alice, path, field));
    assertThat(texts(tenants.operator, path, field)).isEqualTo(texts(tenants.alice, path, field));
    assertThat(texts(tenants.reader, path, field)).isEqualTo(texts(tenants.alice, path, field));
  }

  @Test
  void snapshotsOfNobodyAreEverybodys() throws IOException {
    assertThat(texts(tenants.alice, "/v1/snapshots", "tag"))
        .containsExactlyInAnyOrder("base", "alices-own");
    assertThat(texts(tenants.bob, "/v1/snapshots", "tag")).containsExactly("base");
    assertThat(tenants.call(tenants.bob, "GET", "/v1/snapshots/base/info", "").status())
        .isEqualTo(200);
    assertThat(post(tenants.bob, "/v1/sandboxes", "{\"snapshot_tag\":\"base\"}").status())
        .isEqualTo(201);
  }

  @Test
  void snapshotsOfNobodyAreForOperatorsToChange() throws IOException {
    refused(403, tenants.call(tenants.bob, "DELETE", "/v1/snapshots/base", ""));
    refused(403, post(tenants.bob, "/v1/snapshots/base/compact", "{\"to\":\"flat\"}"));
    assertThat(tenants.server.forkd.snapshots).containsKey(Tag.of("base"));
    assertThat(tenants.call(tenants.operator, "DELETE", "/v1/snapshots/alices-own", "").status())
        .isEqualTo(204);
  }

  @ParameterizedTest
  @ValueSource(strings = {"pause-sb-0123456789-0000-1", "ws-boss-state"})
  void aSandboxOnDiskIsNobodysToFork(String tag) throws IOException {
    tenants.server.forkd.snapshots.put(Tag.of(tag), new SnapshotDraft(tag).done());
    assertThat(texts(tenants.bob, "/v1/snapshots", "tag")).containsExactly("base");
    refused(404, post(tenants.bob, "/v1/sandboxes", "{\"snapshot_tag\":\"" + tag + "\"}"));
    assertThat(texts(tenants.operator, "/v1/snapshots", "tag")).contains(tag);
  }

  @Test
  void whatAUserMakesIsTheirs() throws IOException {
    Sandbox sandbox = tenants.server.forkd.sandbox(SandboxId.of(tenants.sandbox));
    assertThat(sandbox.given().owner()).contains("alice");
    assertThat(snapshot("alices-own").owner()).contains("alice");
    Answer fanned =
        post(tenants.alice, "/v1/sandboxes/" + tenants.sandbox + "/fork", "{\"tag\":\"fan\"}");
    assertThat(fanned.json().path("sandboxes").path(0).path("owner").asString()).isEqualTo("alice");
    assertThat(snapshot("fan").owner()).contains("alice");
    assertThat(
            post(tenants.alice, "/v1/snapshots/alices-own/compact", "{\"to\":\"flat\"}").status())
        .isEqualTo(201);
    assertThat(snapshot("flat").owner()).contains("alice");
    assertThat(texts(tenants.alice, "/v1/workspaces", "owner")).containsExactly("alice");
  }

  @Test
  void anOperatorsBranchStaysWithWhomTheMemoryBelongsTo() throws IOException {
    post(tenants.operator, "/v1/sandboxes/" + tenants.sandbox + "/branch", "{\"tag\":\"seen\"}");
    assertThat(snapshot("seen").owner()).contains("alice");
    String child =
        post(tenants.operator, "/v1/sandboxes", "{\"snapshot_tag\":\"alices-own\"}")
            .json()
            .path(0)
            .path("id")
            .asString();
    post(tenants.operator, "/v1/sandboxes/" + child + "/branch", "{\"tag\":\"seen-too\"}");
    assertThat(snapshot("seen-too").owner()).contains("alice");
    assertThat(texts(tenants.bob, "/v1/snapshots", "tag")).containsExactly("base");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/sandboxes|{\"snapshot_tag\":\"alices-own\"}",
        "/v1/workspaces|{\"name\":\"w\",\"snapshot_tag\":\"alices-own\"}",
        "/v1/sandboxes/BOBS/rollback|{\"tag\":\"alices-own\"}",
        "/v1/diff|{\"a\":\"alices-own\",\"b\":\"base\"}",
        "/v1/diff|{\"a\":\"base\",\"b\":\"alices-own\"}",
        "/v1/diff|{\"a\":\"base\",\"b\":\"ALICES\"}",
        "/v1/diff|{\"a\":\"ALICES\",\"b\":\"BOBS\"}",
        "/v1/sandboxes/BOBS/branch|{\"parent_tag\":\"alices-own\"}"
      })
  void bodiesCannotNameWhatIsAnothers(String path, String body) throws IOException {
    String bobs =
        post(tenants.bob, "/v1/sandboxes", "{\"snapshot_tag\":\"base\"}")
            .json()
            .path(0)
            .path("id")
            .asString();
    String named = body.replace("ALICES", tenants.sandbox).replace("BOBS", bobs);
    Answer answer = post(tenants.bob, path.replace("BOBS", bobs), named);
    Answer absent =
        post(
            tenants.bob,
            path.replace("BOBS", bobs),
            named
                .replace("alices-own", "nobodys-own")
                .replace(tenants.sandbox, "sb-ffffffffff-0000"));
    assertThat(answer.status()).isIn(400, 404).isEqualTo(absent.status());
    assertThat(answer.error().replace("alices-own", "X").replace(tenants.sandbox, "X"))
        .isEqualTo(absent.error().replace("nobodys-own", "X").replace("sb-ffffffffff-0000", "X"));
  }

  @Test
  void aTakenNameDoesNotTellWhoTookIt() throws IOException {
    String bobs =
        post(tenants.bob, "/v1/sandboxes", "{\"snapshot_tag\":\"base\"}")
            .json()
            .path(0)
            .path("id")
            .asString();
    Answer tag = post(tenants.bob, "/v1/sandboxes/" + bobs + "/branch", "{\"tag\":\"alices-own\"}");
    refused(409, tag);
    assertThat(tag.error().replace("alices-own", "")).doesNotContain("alice");
    Answer space =
        post(
            tenants.bob, "/v1/workspaces", "{\"name\":\"alices-space\",\"snapshot_tag\":\"base\"}");
    refused(409, space);
    assertThat(space.error().replace("alices-space", "")).doesNotContain("alice");
  }

  @Test
  void whyASandboxEndedIsToldToItsOwnerOnly() throws IOException {
    Answer bobs = tenants.call(tenants.bob, "GET", "/v1/sandboxes/" + tenants.ended, "");
    Answer absent = tenants.call(tenants.bob, "GET", "/v1/sandboxes/sb-ffffffffff-0000", "");
    refused(404, bobs);
    assertThat(bobs.error().replace(tenants.ended, "X"))
        .isEqualTo(absent.error().replace("sb-ffffffffff-0000", "X"));
    refused(404, tenants.call(tenants.alice, "GET", "/v1/sandboxes/" + tenants.ended, ""));
  }

  @Test
  void aFamilyIsShownWithoutItsForeignMembers() throws IOException {
    Snapshot foreign = snapshot("alices-own");
    tenants.server.forkd.snapshots.put(
        Tag.of("shared-child"), new SnapshotDraft("shared-child").childOf(foreign).done());
    JsonNode shown = tenants.call(tenants.bob, "GET", "/v1/snapshots/shared-child/info", "").json();
    assertThat(shown.has("parent_tag")).isFalse();
    assertThat(shown.path("ancestors").values())
        .extracting(JsonNode::asString)
        .containsExactly("base");
    JsonNode base = tenants.call(tenants.bob, "GET", "/v1/snapshots/base/info", "").json();
    assertThat(base.path("dependents").values()).isEmpty();
    assertThat(base.path("sandboxes").values()).isEmpty();
    String all = tenants.call(tenants.bob, "GET", "/v1/snapshots", "").text();
    assertThat(all).doesNotContain("alices-own");
    assertThat(tenants.call(tenants.operator, "GET", "/v1/snapshots/base/info", "").text())
        .contains("alices-own", tenants.sandbox);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "?cascade=true", "?force=true"})
  void removingOnesOwnSparesWhatOthersMadeOfIt(String mode) throws IOException {
    Snapshot own = snapshot("alices-own");
    Snapshot mid = new SnapshotDraft("mid").owner(Optional.of("alice")).childOf(own).done();
    tenants.server.forkd.snapshots.put(Tag.of("mid"), mid);
    tenants.server.forkd.snapshots.put(
        Tag.of("theirs"),
        new SnapshotDraft("theirs").owner(Optional.of("carol")).childOf(mid).done());
    Answer answer = tenants.call(tenants.alice, "DELETE", "/v1/snapshots/alices-own" + mode, "");
    refused(409, answer);
    assertThat(answer.error()).doesNotContain("theirs", "carol");
    assertThat(tenants.server.forkd.snapshots).containsKeys(Tag.of("mid"), Tag.of("theirs"));
    tenants.server.forkd.snapshots.remove(Tag.of("theirs"));
    assertThat(
            tenants
                .call(tenants.alice, "DELETE", "/v1/snapshots/alices-own?cascade=true", "")
                .status())
        .isEqualTo(204);
  }

  @Test
  void poolsOfHiddenSnapshotsAreHidden() throws IOException {
    tenants.call(tenants.operator, "PUT", "/v1/pools/alices-own", "{\"warm\":2}");
    tenants.call(tenants.operator, "PUT", "/v1/pools/base", "{\"warm\":2}");
    assertThat(texts(tenants.bob, "/v1/pools", "tag")).containsExactly("base");
    assertThat(texts(tenants.alice, "/v1/pools", "tag"))
        .containsExactlyInAnyOrder("base", "alices-own");
  }

  @Test
  void eventsAreHeardByWhoseTheyAre() throws IOException {
    tenants.server.forkd.events.tell(
        "sandbox.created", tenants.sandbox, Optional.of("alice"), Map.of());
    tenants.server.forkd.events.tell("daemon.started", "forkd", Optional.empty(), Map.of());
    assertThat(remembered(tenants.alice)).contains(tenants.sandbox).doesNotContain("daemon");
    assertThat(remembered(tenants.bob)).doesNotContain(tenants.sandbox, "daemon");
    assertThat(remembered(tenants.operator)).contains(tenants.sandbox, "daemon.started");
  }

  private String remembered(String key) throws IOException {
    try (Wire wire = tenants.server.tcp()) {
      wire.request("GET", "/v1/events?after=0&follow=false", "", "Authorization: Bearer " + key);
      return wire.answer().text();
    }
  }

  private Snapshot snapshot(String tag) {
    return tenants.server.forkd.snapshot(Tag.of(tag));
  }

  private Answer post(String key, String path, String body) throws IOException {
    return tenants.call(key, "POST", path, body);
  }

  private List<String> texts(String key, String path, String field) throws IOException {
    Answer answer = tenants.call(key, "GET", path, "");
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    return answer.json().values().stream()
        .map(item -> item.path(field).asString())
        .sorted()
        .toList();
  }

  private static void refused(int status, Answer answer) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(status);
    assertThat(answer.error()).isNotBlank();
  }
}
