package io.forkd.server.e2b;

import io.forkd.guest.FileEntry;
import io.forkd.guest.FileTree;
import io.forkd.guest.FileWatch;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.util.Optional;

/** E2B's filesystem.Filesystem. */
final class FilesystemService {
  private static final String ROOT = "/filesystem.Filesystem/";
  private static final int DEEPEST = 64;

  private final Watchers watchers;

  FilesystemService(Watchers watchers) {
    this.watchers = watchers;
  }

  void addTo(Rpc rpc) {
    rpc.unary(ROOT + "Stat", (call, request) -> entry(call.files().stat(path(request))))
        .unary(ROOT + "ListDir", FilesystemService::list)
        .unary(ROOT + "MakeDir", (call, request) -> entry(call.files().makeFolder(path(request))))
        .unary(ROOT + "Move", FilesystemService::move)
        .unary(ROOT + "Remove", FilesystemService::remove)
        .streaming(ROOT + "WatchDir", FilesystemService::watch)
        .unary(ROOT + "CreateWatcher", this::createWatcher)
        .unary(ROOT + "GetWatcherEvents", this::watcherEvents)
        .unary(ROOT + "RemoveWatcher", this::removeWatcher);
  }

  private static String path(Body request) {
    return request.requiredText("path");
  }

  private static JsonObject entry(FileEntry entry) {
    return Json.object().with("entry", Entries.shape(entry));
  }

  private static JsonObject list(Rpc.Call call, Body request) {
    int depth = Math.max(1, request.number("depth", 0, DEEPEST).orElse(1));
    return Json.object()
        .with(
            "entries",
            call.files().list(path(request), depth).stream().map(Entries::shape).toList());
  }

  private static JsonObject move(Rpc.Call call, Body request) {
    return entry(
        call.files().move(request.requiredText("source"), request.requiredText("destination")));
  }

  private static JsonObject remove(Rpc.Call call, Body request) {
    call.files().remove(path(request));
    return Json.object();
  }

  private static void watch(Rpc.Call call, Body request, Frames.Sink out) throws IOException {
    FileTree files = call.files();
    WatchShape shape = WatchShape.of(request, files);
    try (FileWatch watch = files.watch(path(request), request.flag("recursive").orElse(false))) {
      out.send(Json.object().with("start", Json.object()));
      while (true) {
        Optional<FileWatch.Change> change = watch.next(ProcessEvents.silence(call));
        out.send(
            change
                .map(happened -> Json.object().with("filesystem", shape.of(happened)))
                .orElseGet(() -> Json.object().with("keepalive", Json.object())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted by the end of the daemon", e);
    }
  }

  private JsonObject createWatcher(Rpc.Call call, Body request) {
    FileTree files = call.files();
    String id =
        watchers.open(
            call.session().id(),
            files.watch(path(request), request.flag("recursive").orElse(false)),
            WatchShape.of(request, files));
    return Json.object().with("watcherId", id);
  }

  private JsonObject watcherEvents(Rpc.Call call, Body request) {
    return Json.object()
        .with("events", watchers.events(call.session().id(), request.requiredText("watcherId")));
  }

  private JsonObject removeWatcher(Rpc.Call call, Body request) {
    watchers.remove(call.session().id(), request.requiredText("watcherId"));
    return Json.object();
  }
}
