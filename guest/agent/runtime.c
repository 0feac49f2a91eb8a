#include "runtime.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel.h"

/* How long an interrupted request may take to end before its kernel is killed. */
#define INTERRUPT_MS 5000
/* How long until it is interrupted again: the first may have come before it had taken the request. */
#define NAG_MS 1500

int runtimes_count(void) { return contexts_in_use(); }
const char *runtime_name(int index) { return context_at(index)->id; }

/* Python's alone: what a snapshot can warm. The other languages are started when they are first used. */
void runtimes_describe(struct writer *payload) {
  const struct runtime *python = context_at(0);
  bool shown = python->state != STOPPED || context_available(python);
  put_u16(payload, shown);
  if (!shown) return;
  put_text(payload, python->id);
  put_u8(payload, python->state == READY);
}

static struct runtime *find(struct reader *in) {
  char id[32];
  return slice_text(get_bytes(in), id, sizeof id) ? context_find(id) : NULL;
}

/* Attaches the stream to its runtime and starts that when need be; false when the stream was ended. */
static bool attach(struct stream *stream, struct runtime *runtime) {
  if (!runtime) {
    stream_reset(stream, E_NOT_FOUND, "this agent knows no such runtime or context");
    return false;
  }
  char complaint[512];
  uint16_t code;
  bool start = runtime->state == STOPPED && !runtime->bereaved; /* else it is told of the death first */
  if (start && !context_start(runtime, &code, complaint, sizeof complaint)) {
    stream_reset(stream, code, complaint);
    return false;
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
  runtime->kill_at = now_ms() + INTERRUPT_MS;
  runtime->nag_at = now_ms();
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
  if (runtime->state != READY || runtime->fate != STAYS) return false;
  struct stream *starter = stream_waiting(runtime, KIND_START);
  if (starter && channel_has_room(sizeof runtime->greeting)) {
    stream_result(starter, runtime->greeting, runtime->greeting_length);
    return true;
  }
  struct stream *asker = stream_waiting(runtime, KIND_CONTEXT);
  if (asker && channel_has_room(MAX_CWD + 256)) {
    context_answer(runtime, asker);
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
  for (int i = 0; i < contexts_in_use(); i++) {
    struct runtime *runtime = context_at(i);
    if (runtime->state == STOPPED || runtime->pid != pid) continue;
    say("runtime %s ended with status 0x%x", runtime->id, (unsigned)status);
    watch_close(&runtime->requests);
    watch_close(&runtime->forks);
    runtime->state_lost = runtime->state == READY && runtime->fate == STAYS;
    runtime->died_starting = runtime->state == STARTING;
    runtime->state = STOPPED;
    runtime->bereaved = true;
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
  if (runtime->fate == GOES)
    format(buffer, size, "the context %s was deleted", runtime->id);
  else if (runtime->fate == RESTARTS)
    format(buffer, size, "the context %s was restarted and its state is gone", runtime->id);
  else
    format(buffer, size, "runtime %s %s %d %s", runtime->id, how, value, state);
  return buffer;
}

/* Tells all of one kind who wait for a dead kernel; false when the channel has no room for the next. */
static bool tell_mourners(struct runtime *runtime, uint8_t kind, uint16_t code) {
  struct stream *stream;
  char text[256];
  while ((stream = stream_waiting(runtime, kind))) {
    if (!channel_has_room(512)) return false;
    stream_reset(stream, code, obituary(runtime, text, sizeof text));
    runtime->state_lost = false;
  }
  return true;
}

/* Those who asked for this very death. */
static bool answer_killers(struct runtime *runtime) {
  struct stream *stream;
  while ((stream = stream_waiting(runtime, KIND_CONTEXT))) {
    if (!channel_has_room(512)) return false;
    context_answer(runtime, stream);
  }
  return true;
}

static void start_again(struct runtime *runtime) {
  uint16_t code;
  char complaint[512];
  runtime->fate = STAYS;
  runtime->cancelled = false;
  if (context_start(runtime, &code, complaint, sizeof complaint)) return;
  for (struct stream *stream; (stream = stream_waiting(runtime, KIND_CONTEXT));) stream_reset(stream, code, complaint);
}

/* Tells everyone who waits for a dead kernel, then does what its fate was: a kernel that was killed for not
   stopping, or to be restarted, is started; a context that was deleted, or never came to be, is forgotten. */
static bool bury(struct runtime *runtime) {
  if (!runtime->bereaved) return false;
  uint16_t code = runtime->fate == GOES ? E_NOT_FOUND : runtime->died_starting ? E_RUNTIME_DIED : E_STATE_LOST;
  if (!tell_mourners(runtime, KIND_EVAL, code) || !tell_mourners(runtime, KIND_START, code)) return false;
  bool stillborn = runtime->died_starting && !runtime->was_ready;
  if (runtime->fate == STAYS && !tell_mourners(runtime, KIND_CONTEXT, E_RUNTIME_DIED)) return false;
  if (runtime->fate == GOES && !answer_killers(runtime)) return false;
  runtime->bereaved = false;
  if (runtime->fate == GOES || stillborn)
    context_release(runtime);
  else if (runtime->fate == RESTARTS || runtime->cancelled)
    start_again(runtime);
  return true;
}

static void enforce_interrupt(struct runtime *runtime) {
  if (runtime->kill_at == 0) return;
  if (runtime->busy && runtime->nag_at != 0 && now_ms() >= runtime->nag_at) {
    kill(runtime->pid, SIGINT);
    runtime->nag_at = now_ms() + NAG_MS;
  }
  if (runtime->nag_at != 0) loop_wake_at(runtime->nag_at);
  loop_wake_at(runtime->kill_at);
  if (now_ms() < runtime->kill_at) return;
  runtime->kill_at = 0;
  runtime->cancelled = runtime->requests.fd >= 0;
  kernel_kill(runtime, "it did not stop when told to");
}

bool runtimes_pump(void) {
  bool moved = false;
  for (int i = 0; i < contexts_in_use(); i++) {
    struct runtime *runtime = context_at(i);
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
  for (int i = 0; i < contexts_in_use(); i++)
    if (context_at(i)->state != STOPPED) kill(-context_at(i)->pid, SIGKILL);
}
