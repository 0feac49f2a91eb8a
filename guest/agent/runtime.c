#include "runtime.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel.h"
#include "spawn.h"

/* How long an interrupted request may take to end before its kernel is killed. */
#define INTERRUPT_MS 5000

static struct runtime runtimes[] = {
    {.name = "python", .script = "python.py", .interpreter = "python3", .requests.fd = -1, .forks.fd = -1},
};
#define COUNT ((int)(sizeof runtimes / sizeof *runtimes))

int runtimes_count(void) { return COUNT; }
struct runtime *runtime_at(int index) { return &runtimes[index]; }
const char *runtime_name(int index) { return runtimes[index].name; }

static bool available(const struct runtime *runtime) {
  char script[256];
  return format(script, sizeof script, "%s/%s", config.run_dir, runtime->script) &&
         access(script, R_OK) == 0 && program_exists(runtime->interpreter);
}

void runtimes_describe(struct writer *payload) {
  bool shown[COUNT];
  uint16_t count = 0;
  for (int i = 0; i < COUNT; i++) count += shown[i] = runtimes[i].state != STOPPED || available(&runtimes[i]);
  put_u16(payload, count);
  for (int i = 0; i < COUNT; i++) {
    if (!shown[i]) continue;
    put_text(payload, runtimes[i].name);
    put_u8(payload, runtimes[i].state == READY);
  }
}

static struct runtime *find(struct reader *in) {
  char name[32];
  if (!slice_text(get_bytes(in), name, sizeof name)) return NULL;
  for (int i = 0; i < COUNT; i++)
    if (strcmp(runtimes[i].name, name) == 0) return &runtimes[i];
  return NULL;
}

/* Attaches the stream to its runtime and starts that when need be; false when the stream was ended. */
static bool attach(struct stream *stream, struct runtime *runtime) {
  if (!runtime) {
    stream_reset(stream, E_NO_RUNTIME, "this agent knows no such runtime");
    return false;
  }
  if (runtime->state == STOPPED) {
    char complaint[512] = "cannot make sockets";
    if (!available(runtime)) {
      format(complaint, sizeof complaint, "%s is not in this guest: install it in the image", runtime->interpreter);
      stream_reset(stream, E_NO_RUNTIME, complaint);
      return false;
    }
    if (!kernel_start(runtime, complaint, sizeof complaint)) {
      stream_reset(stream, E_RUNTIME_DIED, complaint);
      return false;
    }
  }
  stream->runtime = runtime;
  return true;
}

void runtime_open_start(struct stream *stream, struct reader in) {
  struct runtime *runtime = find(&in);
  if (!reader_done(&in)) {
    stream_reset(stream, E_MALFORMED, "start needs the name of a runtime");
    return;
  }
  if (runtime) runtime->state_lost = false; /* who asks for a start expects no state */
  attach(stream, runtime);
}

void runtime_open_eval(struct stream *stream, struct reader in) {
  struct runtime *runtime = find(&in);
  uint32_t total = get_u32(&in);
  struct slice first = get_rest(&in);
  if (in.bad || total > MAX_EVAL_BODY || first.length > total) {
    stream_reset(stream, E_MALFORMED, "eval needs a runtime, a length and at most that many bytes");
    return;
  }
  if (runtime && runtime->state_lost) {
    runtime->state_lost = false;
    stream_reset(stream, E_STATE_LOST, "the runtime died since the last eval and its state is gone");
    return;
  }
  if (!attach(stream, runtime)) return;
  /* The kernel reads a length before the body; it travels in front of it like any other byte. */
  uint8_t prefix[4];
  struct writer length = writer_on(prefix, sizeof prefix);
  put_u32(&length, total);
  stream->body_left = total + 4;
  if (!stream_push(stream, prefix, sizeof prefix) || !stream_push(stream, first.data, first.length)) {
    stream->runtime = NULL;
    stream_reset(stream, E_LIMIT, "out of memory");
  }
}

static void interrupt(struct runtime *runtime) {
  if (runtime->kill_at != 0) return;
  kill(runtime->pid, SIGINT);
  runtime->kill_at = now_ms() + INTERRUPT_MS;
}

void runtime_detach(struct runtime *runtime, struct stream *stream, bool cancel) {
  stream->runtime = NULL;
  if (runtime->current != stream) return;
  runtime->current = NULL;
  if (cancel) interrupt(runtime);
}

void runtime_cancel(struct runtime *runtime, struct stream *stream) {
  if (runtime->current == stream)
    interrupt(runtime);
  else
    stream_reset(stream, E_CANCELLED, "cancelled before it began");
}

/* Hands the next waiting request to an idle kernel and answers those who waited for it to start. */
static bool dispatch(struct runtime *runtime) {
  if (runtime->state != READY) return false;
  struct stream *starter = stream_waiting(runtime, KIND_START);
  if (starter && channel_has_room(sizeof runtime->greeting)) {
    stream_result(starter, runtime->greeting, runtime->greeting_length);
    return true;
  }
  if (runtime->busy) return false;
  struct stream *next = stream_waiting(runtime, KIND_EVAL);
  if (!next) return false;
  runtime->busy = true;
  runtime->current = next;
  runtime->body_left = next->body_left;
  return true;
}

bool runtime_reaped(pid_t pid, int status) {
  for (int i = 0; i < COUNT; i++) {
    struct runtime *runtime = &runtimes[i];
    if (runtime->state == STOPPED || runtime->pid != pid) continue;
    say("runtime %s ended with status 0x%x", runtime->name, (unsigned)status);
    watch_close(&runtime->requests);
    watch_close(&runtime->forks);
    runtime->state_lost = runtime->state == READY;
    runtime->died_starting = runtime->state == STARTING;
    runtime->state = STOPPED;
    runtime->busy = false;
    runtime->current = NULL;
    runtime->kill_at = 0;
    runtime->status = status;
    reseed_died(runtime);
    return true;
  }
  return false;
}

static const char *obituary(const struct runtime *runtime, char *buffer, size_t size) {
  const char *how = WIFSIGNALED(runtime->status) ? "was killed by signal" : "ended with exit code";
  int value = WIFSIGNALED(runtime->status) ? WTERMSIG(runtime->status) : WEXITSTATUS(runtime->status);
  const char *state = runtime->died_starting ? "before it was ready" : "and its state is gone";
  format(buffer, size, "runtime %s %s %d %s", runtime->name, how, value, state);
  return buffer;
}

/* Tells everyone who waits for a dead kernel, then starts the one that was killed for not stopping. */
static bool bury(struct runtime *runtime) {
  bool moved = false;
  char text[256];
  for (uint8_t kind = KIND_EVAL; kind <= KIND_START; kind++) {
    struct stream *stream;
    while (channel_has_room(512) && (stream = stream_waiting(runtime, kind))) {
      uint16_t code = runtime->died_starting ? E_RUNTIME_DIED : E_STATE_LOST;
      stream_reset(stream, code, obituary(runtime, text, sizeof text));
      runtime->state_lost = false;
      moved = true;
    }
  }
  bool waiting = stream_waiting(runtime, KIND_EVAL) || stream_waiting(runtime, KIND_START);
  if (runtime->cancelled && !waiting) {
    runtime->cancelled = false;
    moved |= kernel_start(runtime, text, sizeof text);
  }
  return moved;
}

static void enforce_interrupt(struct runtime *runtime) {
  if (runtime->kill_at == 0) return;
  loop_wake_at(runtime->kill_at);
  if (now_ms() < runtime->kill_at) return;
  runtime->kill_at = 0;
  runtime->cancelled = runtime->requests.fd >= 0;
  kernel_kill(runtime, "it did not stop when told to");
}

bool runtimes_pump(void) {
  bool moved = false;
  for (int i = 0; i < COUNT; i++) {
    struct runtime *runtime = &runtimes[i];
    if (runtime->state == STOPPED) {
      moved |= bury(runtime);
      continue;
    }
    moved |= dispatch(runtime);
    moved |= kernel_pump(runtime);
    moved |= reseed_pump(runtime);
    enforce_interrupt(runtime);
  }
  return moved;
}

void runtimes_kill_all(void) {
  for (int i = 0; i < COUNT; i++)
    if (runtimes[i].state != STOPPED) kill(-runtimes[i].pid, SIGKILL);
}
