package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.SandboxId;
import io.forkd.core.SandboxState;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What E2B's clients ask for, by hand. The SDKs themselves are in sdk/e2b-tests. */
@Timeout(120)
class E2bApiTest {
  private static final String JSON = "Content-Type: application/json";

  private final ApiKeys keys = new ApiKeys(KeyStore.inMemory(), InstantSource.system());
  private final TestServer server =
      TestServer.with(
          new Access(Optional.empty(), keys, Principals.Door.LOCAL, Throttle.Limits.DEFAULT));
  private final String alice = key("alice");
  private final String bob = key("bob");

  @TempDir Path folder;

  private String key(String name) {
    return "X-API-KEY: "
        + keys.create(name, Role.USER, Optional.empty(), Optional.empty()).key().hexText();
  }

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  private Answer call(String method, String path, String body, String... headers)
      throws IOException {
    try (Wire wire = server.tcp()) {
      wire.request(method, path, body, headers);
      return wire.answer();
    }
  }

  private JsonNode create(String body) throws IOException {
    Answer made = call("POST", "/v2/sandboxes", body, alice, JSON);
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    return made.json();
  }

  static String id(JsonNode sandbox) {
    return sandbox.path("sandboxID").asString();
  }

  static String[] envd(JsonNode sandbox, String... more) {
    String[] headers = {
      "E2b-Sandbox-Id: " + id(sandbox),
      "E2b-Sandbox-Port: 49983",
      "X-Access-Token: " + sandbox.path("envdAccessToken").asString()
    };
    String[] all = Arrays.copyOf(headers, headers.length + more.length);
    System.arraycopy(more, 0, all, headers.length, more.length);
    return all;
  }

  @Test
  void bothVersionsOfCreateMakeASandboxWithTokensOfItsOwn() throws IOException {
    JsonNode first = create("{\"templateID\":\"base\"}");
    JsonNode second =
        call("POST", "/sandboxes", "{\"templateID\":\"base:default\"}", alice, JSON).json();

    for (JsonNode made : new JsonNode[] {first, second}) {
      assertThat(SandboxId.isValid(id(made))).isTrue();
      assertThat(made.path("envdVersion").asString()).matches("\\d+\\.\\d+\\.\\d+");
      assertThat(made.path("clientID").asString()).isNotEmpty();
    }
    assertThat(first.path("envdAccessToken")).isNotEqualTo(second.path("envdAccessToken"));
    assertThat(first.path("trafficAccessToken")).isNotEqualTo(first.path("envdAccessToken"));
  }

  @Test
  void aKeyIsNeededAndOnlyItsOwnerSeesASandbox() throws IOException {
    String id = id(create("{\"templateID\":\"base\"}"));

    assertThat(call("GET", "/sandboxes/" + id, "").status()).isEqualTo(401);
    assertThat(call("GET", "/sandboxes/" + id, "", "X-API-KEY: e2b_00").json().path("code").asInt())
        .isEqualTo(401);
    assertThat(call("GET", "/sandboxes/" + id, "", bob).json().path("code").asInt()).isEqualTo(404);
    assertThat(call("DELETE", "/sandboxes/" + id, "", bob).status()).isEqualTo(404);
    assertThat(call("GET", "/v2/sandboxes", "", bob).json()).isEmpty();
    assertThat(call("GET", "/sandboxes/" + id, "", alice).status()).isEqualTo(200);
  }

  @Test
  void aKilledSandboxIsKnownByJsonThatClientsUnderstand() throws IOException {
    JsonNode sandbox = create("{\"templateID\":\"base\"}");

    assertThat(call("DELETE", "/sandboxes/" + id(sandbox), "", alice).status()).isEqualTo(204);
    Answer again = call("DELETE", "/sandboxes/" + id(sandbox), "", alice);
    assertThat(again.status()).isEqualTo(404);
    assertThat(again.json().path("code").asInt()).isEqualTo(404);
    Answer inside = call("GET", "/health", "", envd(sandbox));
    assertThat(inside.status()).isEqualTo(502);
    assertThat(inside.json().path("code").asInt()).isEqualTo(502);
    assertThat(inside.json().path("sandboxId").asString()).isEqualTo(id(sandbox));
    assertThat(inside.json().path("message").asString()).contains("was not found");
  }

  @Test
  void unknownTemplatesSayWhatToDo() throws IOException {
    Answer refused = call("POST", "/v2/sandboxes", "{\"templateID\":\"nope\"}", alice, JSON);

    assertThat(refused.json().path("code").asInt()).isEqualTo(404);
    assertThat(refused.json().path("message").asString())
        .contains("nope")
        .contains("--e2b-templates");
  }

  @Test
  void whatForkdHasNotIsRefusedClearly() throws IOException {
    for (String path :
        new String[] {"/volumes", "/secrets", "/v3/templates", "/templates/x/builds/y"}) {
      Answer refused = call("GET", path, "", alice);
      assertThat(refused.status()).as(path).isEqualTo(501);
      assertThat(refused.json().path("message").asString()).contains("docs/e2b.md");
    }
  }

  @Test
  void metadataAreFilteredAsTheClientsEncodeThem() throws IOException {
    String id = id(create("{\"templateID\":\"base\",\"metadata\":{\"a b\":\"c&d\",\"k\":\"v\"}}"));
    create("{\"templateID\":\"base\"}");

    JsonNode found = call("GET", "/v2/sandboxes?metadata=a%252520b%3Dc%252526d", "", alice).json();
    assertThat(found).hasSize(1);
    assertThat(id(found.path(0))).isEqualTo(id);
    assertThat(found.path(0).path("metadata").path("a b").asString()).isEqualTo("c&d");
    assertThat(call("GET", "/v2/sandboxes?state=paused", "", alice).json()).isEmpty();
  }

  @Test
  void listsComeInPages() throws IOException {
    for (int i = 0; i < 5; i++) {
      create("{\"templateID\":\"base\"}");
    }
    Set<String> seen = new TreeSet<>();
    String token = "";
    for (int page = 0; page < 3; page++) {
      Answer answer = call("GET", "/v2/sandboxes?limit=2" + token, "", alice);
      answer.json().forEach(sandbox -> seen.add(id(sandbox)));
      assertThat(answer.header("x-next-token").isEmpty()).isEqualTo(page == 2);
      token = "&nextToken=" + answer.header("x-next-token");
    }
    assertThat(seen).hasSize(5);
    assertThat(call("GET", "/v2/sandboxes?nextToken=nonsense", "", alice).status()).isEqualTo(400);
  }

  @Test
  void pausedSandboxesAreDeadInsideUntilSomebodyConnects() throws IOException {
    JsonNode sandbox = create("{\"templateID\":\"base\"}");
    String path = "/sandboxes/" + id(sandbox);

    assertThat(call("POST", path + "/pause", "", alice).status()).isEqualTo(204);
    assertThat(call("POST", path + "/pause", "", alice).status()).isEqualTo(409);
    assertThat(call("GET", "/health", "", envd(sandbox)).status()).isEqualTo(502);
    Answer back = call("POST", "/v2" + path + "/connect", "{\"timeout\":60}", alice, JSON);
    assertThat(back.status()).isEqualTo(201);
    assertThat(back.json().path("envdAccessToken")).isEqualTo(sandbox.path("envdAccessToken"));
    assertThat(call("GET", "/health", "", envd(sandbox)).status()).isEqualTo(204);
    assertThat(call("POST", path + "/connect", "", alice).status()).isEqualTo(200);
  }

  @Test
  void oneThatResumesByItselfDoesSoWhenItIsUsed() throws IOException {
    JsonNode sandbox =
        create("{\"templateID\":\"base\",\"autoPause\":true,\"autoResume\":{\"enabled\":true}}");
    server.forkd.pause(SandboxId.of(id(sandbox)));

    assertThat(call("GET", "/health", "", envd(sandbox)).status()).isEqualTo(204);
    assertThat(server.forkd.sandbox(SandboxId.of(id(sandbox))).state())
        .isEqualTo(SandboxState.RUNNING);
  }

  @Test
  void theInsideNeedsTheSandboxesOwnToken() throws IOException {
    JsonNode one = create("{\"templateID\":\"base\"}");
    JsonNode other = create("{\"templateID\":\"base\"}");
    String named = "E2b-Sandbox-Id: " + id(one);
    String list = "/filesystem.Filesystem/Stat";
    String body = "{\"path\":\"/\"}";

    assertThat(call("POST", list, body, named, JSON).status()).isEqualTo(401);
    assertThat(call("POST", list, body, named, alice, JSON).status()).isEqualTo(401);
    String foreign = "X-Access-Token: " + other.path("envdAccessToken").asString();
    assertThat(call("POST", list, body, named, foreign, JSON).status()).isEqualTo(401);
    String traffic = "X-Access-Token: " + one.path("trafficAccessToken").asString();
    assertThat(call("POST", list, body, named, traffic, JSON).status()).isEqualTo(401);
    assertThat(call("POST", list, body, envd(one, JSON)).status()).isEqualTo(200);
    assertThat(call("GET", "/contexts", "", named, "E2b-Sandbox-Port: 49999").status())
        .isEqualTo(401);
  }

  @Test
  void oldClientsAreKnownByTheirTokenAlone() throws IOException {
    create("{\"templateID\":\"base\"}");
    JsonNode sandbox = create("{\"templateID\":\"base\"}");
    Path file = Files.writeString(folder.resolve("a"), "by token");
    String token = "X-Access-Token: " + sandbox.path("envdAccessToken").asString();

    assertThat(call("GET", "/files?path=" + file, "", token).text()).isEqualTo("by token");
    assertThat(call("GET", "/files?path=" + file, "", "X-Access-Token: wrong").status())
        .isEqualTo(502);
  }

  @Test
  void signedUrlsOpenOneFileForOnePurpose() throws IOException {
    create("{\"templateID\":\"base\"}");
    String token = create("{\"templateID\":\"base\"}").path("envdAccessToken").asString();
    Path file = Files.writeString(folder.resolve("signed"), "content");
    long later = System.currentTimeMillis() / 1000 + 60;

    assertThat(call("GET", url(file, "read", token, ""), "").text()).isEqualTo("content");
    assertThat(call("GET", url(file, "read", token, ":" + later), "").status()).isEqualTo(200);
    assertThat(call("GET", url(file, "read", token, ":" + (later - 120)), "").status())
        .isEqualTo(401);
    assertThat(call("GET", url(file, "write", token, ""), "").status()).isEqualTo(502);
    assertThat(call("GET", url(file, "read", "another", ""), "").status()).isEqualTo(502);
    assertThat(
            call(
                    "POST",
                    url(file, "write", token, ""),
                    "new",
                    "Content-Type: application/octet-stream")
                .status())
        .isEqualTo(200);
    assertThat(file).hasContent("new");
  }

  private static String url(Path file, String purpose, String token, String expiration) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(
                  "%s:%s::%s%s"
                      .formatted(file, purpose, token, expiration)
                      .getBytes(StandardCharsets.UTF_8));
      String signature = "v1_" + Base64.getEncoder().withoutPadding().encodeToString(digest);
      String time = expiration.isEmpty() ? "" : "&signature_expiration=" + expiration.substring(1);
      return "/files?path=%s&signature=%s%s"
          .formatted(file, URLEncoder.encode(signature, StandardCharsets.UTF_8), time);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void nativePathsAreWhatTheyWere() throws IOException {
    assertThat(call("GET", "/metrics", "", alice).error()).contains("bound to no owner");
    assertThat(call("GET", "/healthz", "").json().path("ok").asBoolean()).isTrue();
    assertThat(call("GET", "/v1/sandboxes", "", alice).status()).isEqualTo(200);
    assertThat(call("GET", "/files", "", alice).error()).isNotEmpty();
    assertThat(call("GET", "/healthz", "", "Host: 3000-other.example").status()).isEqualTo(200);
  }

  @Test
  void aPortHostLeadsToThatPortForWhoHasATokenOrAKey() throws IOException {
    JsonNode sandbox = create("{\"templateID\":\"base\"}");
    String host = "Host: 3000-%s.localhost".formatted(id(sandbox));
    String traffic = "E2B-Traffic-Access-Token: " + sandbox.path("trafficAccessToken").asString();

    assertThat(call("GET", "/v1/sandboxes", "", host).status()).isEqualTo(401);
    assertThat(call("GET", "/x", "", host, bob).status()).isEqualTo(404);
    // Nothing listens there, which only who was let in is told.
    assertThat(call("GET", "/x", "", host, traffic).json().path("message").asString())
        .contains("3000");
    assertThat(call("GET", "/x", "", host, alice).status()).isEqualTo(502);
    String dead = "Host: 3000-sb-00000000ff-0000.localhost";
    assertThat(call("GET", "/x", "", dead).json().path("code").asInt()).isEqualTo(502);
  }

  @Test
  void aRepeatedCreateWithAKeyMakesOneSandbox() throws IOException {
    String once = "Idempotency-Key: once";
    JsonNode first =
        call("POST", "/v2/sandboxes", "{\"templateID\":\"base\"}", alice, JSON, once).json();
    JsonNode again =
        call("POST", "/v2/sandboxes", "{\"templateID\":\"base\"}", alice, JSON, once).json();

    assertThat(id(again)).isEqualTo(id(first));
    assertThat(call("GET", "/v2/sandboxes", "", alice).json()).hasSize(1);
  }

  @Test
  void forksHaveTokensOfTheirOwnAndTheMetadataOfTheirSource() throws IOException {
    JsonNode source = create("{\"templateID\":\"base\",\"metadata\":{\"a b\":\"c\"}}");

    Answer forked =
        call(
            "POST",
            "/sandboxes/" + id(source) + "/fork",
            "{\"count\":2,\"timeout\":60}",
            alice,
            JSON);
    assertThat(forked.status()).isEqualTo(201);
    assertThat(forked.json()).hasSize(2);
    JsonNode child = forked.json().path(0).path("sandbox");
    assertThat(child.path("envdAccessToken")).isNotEqualTo(source.path("envdAccessToken"));
    assertThat(
            call("GET", "/sandboxes/" + id(child), "", alice)
                .json()
                .path("metadata")
                .path("a b")
                .asString())
        .isEqualTo("c");
    assertThat(call("GET", "/snapshots", "", alice).json()).isEmpty();
  }

  @Test
  void snapshotsAreMadeListedUsedAndRemoved() throws IOException {
    JsonNode source = create("{\"templateID\":\"base\"}");
    Answer made =
        call("POST", "/sandboxes/" + id(source) + "/snapshots", "{\"name\":\"mine\"}", alice, JSON);
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.json().path("snapshotID").asString()).isEqualTo("mine");

    assertThat(call("GET", "/snapshots?sandboxID=" + id(source), "", alice).json()).hasSize(1);
    assertThat(call("GET", "/templates/aliases/mine", "", alice).status()).isEqualTo(200);
    create("{\"templateID\":\"mine:default\"}");
    assertThat(call("DELETE", "/templates/mine%3Adefault", "", alice).status()).isEqualTo(204);
    assertThat(call("DELETE", "/templates/mine", "", alice).json().path("code").asInt())
        .isEqualTo(404);
  }

  @Test
  void aFileGoesInAsAFormAndComesOutWithItsMetadata() throws IOException {
    JsonNode sandbox = create("{\"templateID\":\"base\"}");
    Path file = folder.resolve("deep/é.txt");
    String form =
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"%s\"\r\n\r\nhello\r\n--b--\r\n"
            .formatted(file);

    Answer written =
        call(
            "POST", "/files", form, envd(sandbox, "Content-Type: multipart/form-data; boundary=b"));
    assertThat(written.status()).as(written.toString()).isEqualTo(200);
    assertThat(written.json().path(0).path("path").asString()).isEqualTo(file.toString());
    assertThat(file).hasContent("hello");
    String missing = "/files?path=" + folder.resolve("nothing");
    assertThat(call("GET", missing, "", envd(sandbox)).json().path("code").asInt()).isEqualTo(404);
    assertThat(call("GET", "/files?path=" + folder, "", envd(sandbox)).status()).isEqualTo(400);
    assertThat(call("GET", missing + "&username=no-such-user-here", "", envd(sandbox)).status())
        .isEqualTo(401);
  }

  @Test
  void callsFailWithTheCodesClientsBranchOn() throws IOException {
    JsonNode sandbox = create("{\"templateID\":\"base\"}");

    assertThat(
            rpc(sandbox, "/filesystem.Filesystem/Stat", "{\"path\":\"%s/no\"}".formatted(folder)))
        .isEqualTo("404 not_found");
    assertThat(
            rpc(sandbox, "/filesystem.Filesystem/MakeDir", "{\"path\":\"%s\"}".formatted(folder)))
        .isEqualTo("409 already_exists");
    assertThat(rpc(sandbox, "/filesystem.Filesystem/Stat", "{\"path\":7}"))
        .isEqualTo("400 invalid_argument");
    assertThat(
            rpc(
                sandbox,
                "/process.Process/SendSignal",
                "{\"process\":{\"pid\":999999},\"signal\":\"SIGNAL_SIGKILL\"}"))
        .isEqualTo("404 not_found");
    assertThat(rpc(sandbox, "/process.Process/Nonsense", "{}")).isEqualTo("501 unimplemented");
  }

  private String rpc(JsonNode sandbox, String path, String body) throws IOException {
    Answer answer = call("POST", path, body, envd(sandbox, JSON));
    return answer.status() + " " + answer.json().path("code").asString();
  }

  @Test
  void aProcessIsAStreamOfFrames() throws IOException {
    JsonNode sandbox = create("{\"templateID\":\"base\"}");
    String request =
        "{\"process\":{\"cmd\":\"/bin/sh\",\"args\":[\"-c\",\"echo hi; exit 3\"]},\"stdin\":false}";
    String frame = "\0\0\0\0" + (char) request.length() + request;

    Answer answer =
        call(
            "POST",
            "/process.Process/Start",
            frame,
            envd(sandbox, "Content-Type: application/connect+json"));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-type")).isEqualTo("application/connect+json");
    assertThat(answer.text())
        .containsSubsequence(
            "{\"event\":{\"start\":{\"pid\":",
            "{\"event\":{\"data\":{\"stdout\":\"aGkK\"}}}",
            "{\"event\":{\"end\":{\"exitCode\":3,\"exited\":true,\"status\":\"exit status 3\"",
            "\u0002\0\0\0\u0002{}");
  }
}
