package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** HTTP over TCP or TLS, by the JDK's client. */
final class NetTransport implements Transport {
  private static final Duration CONNECT = Duration.ofSeconds(10);

  private final Endpoint.Tcp endpoint;
  private final HttpClient http;

  NetTransport(Endpoint.Tcp endpoint) {
    this.endpoint = endpoint;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER);
    endpoint.caFile().map(Trust::only).ifPresent(builder::sslContext);
    this.http = builder.build();
  }

  @Override
  public Reply send(Call call, Consumer<String> lines) {
    LineQueue queue = new LineQueue(call.timeout());
    CompletableFuture<HttpResponse<byte[]>> future =
        http.sendAsync(
            request(call),
            info ->
                call.streamed() && Reply.isLines(info.statusCode(), lowerCase(info.headers().map()))
                    ? BodySubscribers.fromLineSubscriber(queue, q -> new byte[0], UTF_8, "\n")
                    : BodySubscribers.ofByteArray());
    try {
      if (call.streamed()) {
        CompletableFuture<Void> ended = future.handle((reply, problem) -> queue.end());
        queue.deliver(lines);
        ended.join();
      }
      HttpResponse<byte[]> response = future.get(call.timeout().toMillis(), TimeUnit.MILLISECONDS);
      return new Reply(response.statusCode(), lowerCase(response.headers().map()), response.body());
    } catch (ExecutionException e) {
      throw failure(call, e.getCause() instanceof Exception cause ? cause : e);
    } catch (TimeoutException | IOException e) {
      future.cancel(true);
      throw failure(call, e);
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw failure(call, e);
    }
  }

  private HttpRequest request(Call call) {
    String base = endpoint.base().toString();
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(
                URI.create(
                    (base.endsWith("/") ? base.substring(0, base.length() - 1) : base)
                        + call.path()))
            .header("Accept", call.accept())
            .timeout(call.timeout());
    endpoint.token().ifPresent(token -> builder.header("Authorization", "Bearer " + token));
    call.key().ifPresent(key -> builder.header(Call.KEY_HEADER, key));
    if (call.body().isPresent()) {
      builder.header("Content-Type", "application/json");
    }
    return builder
        .method(
            call.method(),
            call.body().map(BodyPublishers::ofByteArray).orElse(BodyPublishers.noBody()))
        .build();
  }

  private ForkdClientException failure(Call call, Exception cause) {
    boolean neverThere =
        cause instanceof ConnectException
            || cause instanceof HttpConnectTimeoutException
            || cause instanceof UnresolvedAddressException;
    return neverThere
        ? ForkdClientException.unreachable(endpoint, cause)
        : ForkdClientException.broken(call.toString(), endpoint, cause);
  }

  private static Map<String, String> lowerCase(Map<String, List<String>> headers) {
    Map<String, String> lower = new HashMap<>();
    headers.forEach(
        (name, values) -> lower.put(name.toLowerCase(Locale.ROOT), String.join(", ", values)));
    return lower;
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
