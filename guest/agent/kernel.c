#define _GNU_SOURCE
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "spawn.h"

/* In the length before a message: this is an event, not the answer. */
#define EVENT_BIT 0x80000000u

/* A longer message than any kernel sends: the kernel is confused. */
#define MAX_ANSWER (64u * 1024u * 1024u)

/* What a second frame, events before their answer, takes beyond its bytes. */
#define TWO_FRAMES (2 * FRAME_HEADER + 16)

/* How long a kernel that closed its channel may take to end by itself. */
#define EXIT_MS 2000

static void close_both(int pair[2]) {
  close(pair[0]);
  close(pair[1]);
}

/* Descriptors that will become 3 and 4 must not sit on 3 or 4 themselves. */
static int move_up(int fd) {
  int high = fcntl(fd, F_DUPFD_CLOEXEC, 10);
  close(fd);
  return high;
}

static pid_t spawn_kernel(struct runtime *runtime, int requests, int forks, char *complaint, size_t size) {
  char script[256];
  if (!format(script, sizeof script, "%s/%s", config.run_dir, runtime->language->script)) return -1;
  char *argv[sizeof runtime->language->command / sizeof(char *) + 2];
  int count = 0;
  for (const char *const *part = runtime->language->command; *part; part++) argv[count++] = (char *)*part;
  argv[count++] = script;
  argv[count] = NULL;
  struct spawn spawn = {
      .argv = argv, .cwd = runtime->cwd, .fds = {-1, STDERR_FILENO, STDERR_FILENO, requests, forks}};
  return spawn_process(&spawn, complaint, size);
}

bool kernel_start(struct runtime *runtime, char *complaint, size_t size) {
  int requests[2], forks[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, requests) < 0) return false;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, forks) < 0) {
    close_both(requests);
    return false;
  }
  requests[1] = move_up(requests[1]);
  forks[1] = move_up(forks[1]);
  pid_t pid = spawn_kernel(runtime, requests[1], forks[1], complaint, size);
  if (pid < 0) {
    close_both(requests);
    close_both(forks);
    return false;
  }
  close(requests[1]);
  close(forks[1]);
  watch_open(&runtime->requests, requests[0]);
  watch_open(&runtime->forks, forks[0]);
  runtime->pid = pid;
  runtime->state = STARTING;
  runtime->busy = false;
  runtime->current = NULL;
  runtime->prefix_read = 0;
  runtime->answer_left = runtime->body_left = 0;
  runtime->kill_at = runtime->nag_at = 0;
  runtime->greeting_length = 0;
  runtime->fork_answer_length = 0;
  return true;
}

void kernel_kill(struct runtime *runtime, const char *why) {
  say("killing runtime %s: %s", runtime->id, why);
  kill(-runtime->pid, SIGKILL);
  watch_close(&runtime->requests);
}

/* A request whose stream is gone half-way is padded, so that the kernel gets to its end. */
static bool write_request(struct runtime *runtime) {
  static uint8_t padding[4096];
  if (runtime->body_left == 0 || !runtime->requests.writable) return false;
  struct stream *stream = runtime->current;
  const uint8_t *from = padding;
  size_t length = sizeof padding;
  if (stream) {
    from = stream->in;
    length = stream->in_length;
    stream_consumed(stream, 0);
  } else {
    memset(padding, ' ', sizeof padding);
  }
  if (length > runtime->body_left) length = runtime->body_left;
  if (length == 0) return false;
  ssize_t put = watch_write(&runtime->requests, from, length);
  if (put <= 0) return false;
  runtime->body_left -= (uint32_t)put;
  if (stream) stream_consumed(stream, (size_t)put);
  return true;
}

static void answered(struct runtime *runtime, const uint8_t *last, size_t length) {
  struct stream *stream = runtime->current;
  bool greeting = runtime->state == STARTING;
  runtime->prefix_read = 0;
  runtime->kill_at = runtime->nag_at = 0;
  if (greeting) {
    runtime->state = READY;
    runtime->was_ready = true;
    return;
  }
  runtime->busy = false;
  runtime->current = NULL;
  if (stream) stream_result(stream, last, length);
}

/* Passes on a piece of the answer: the last piece is the result itself, so a short answer is one frame. */
static void take_answer(struct runtime *runtime, const uint8_t *data, size_t length) {
  runtime->answer_left -= (uint32_t)length;
  if (runtime->state == STARTING) {
    size_t space = sizeof runtime->greeting - runtime->greeting_length;
    size_t kept = length < space ? length : space;
    memcpy(runtime->greeting + runtime->greeting_length, data, kept);
    runtime->greeting_length += kept;
  }
  if (runtime->answer_left == 0)
    answered(runtime, data, length);
  else if (runtime->current && length > 0)
    stream_data(runtime->current, CHANNEL_OUT, data, length);
}

/* Puts a piece of an event behind the others of this pass, so that many small ones make one frame. */
static size_t gather_event(struct runtime *runtime, uint8_t *events, const uint8_t *data, size_t length) {
  runtime->answer_left -= (uint32_t)length;
  if (runtime->answer_left == 0) runtime->prefix_read = 0;
  memmove(events, data, length);
  return length;
}

/* Returns how many bytes belonged to the length before the answer. */
static size_t take_prefix(struct runtime *runtime, const uint8_t *data, size_t length) {
  size_t used = 0;
  while (runtime->prefix_read < 4 && used < length) runtime->prefix[runtime->prefix_read++] = data[used++];
  if (used > 0 && runtime->prefix_read == 4) {
    struct reader in = reader_of(runtime->prefix, 4);
    uint32_t announced = get_u32(&in);
    runtime->event = announced & EVENT_BIT;
    runtime->answer_left = announced & ~EVENT_BIT;
  }
  return used;
}

/* Whether the kernel may say what it is about to say. */
static bool in_turn(const struct runtime *runtime) {
  if (runtime->prefix_read < 4) return true;
  if (runtime->answer_left > MAX_ANSWER || (runtime->event && runtime->answer_left == 0)) return false;
  if (runtime->state == STARTING) return !runtime->event;
  return runtime->busy && runtime->body_left == 0;
}

/* Takes apart what came: any number of events and an answer, each perhaps only a piece. Events are
   gathered at the start of the buffer, where what they replace has been used. */
static void take_messages(struct runtime *runtime, uint8_t *buffer, size_t length) {
  size_t at = 0, gathered = 0;
  while (at < length) {
    at += take_prefix(runtime, buffer + at, length - at);
    size_t left = length - at;
    if (!in_turn(runtime)) {
      kernel_kill(runtime, "it answered out of turn");
      return;
    }
    if (runtime->prefix_read < 4) break;
    size_t piece = left < runtime->answer_left ? left : runtime->answer_left;
    if (runtime->event) {
      gathered += gather_event(runtime, buffer + gathered, buffer + at, piece);
    } else {
      if (gathered > 0 && runtime->current) stream_data(runtime->current, CHANNEL_ERR, buffer, gathered);
      gathered = 0;
      take_answer(runtime, buffer + at, piece);
    }
    at += piece;
  }
  if (gathered > 0 && runtime->current) stream_data(runtime->current, CHANNEL_ERR, buffer, gathered);
}

static bool read_answer(struct runtime *runtime) {
  static uint8_t buffer[4 + CHUNK];
  struct stream *stream = runtime->current;
  if (!runtime->requests.readable) return false;
  size_t most = CHUNK;
  if (stream && stream->credit < most) most = stream->credit;
  if (most == 0 || (stream && !channel_has_room(most + TWO_FRAMES))) return false;
  ssize_t got = watch_read(&runtime->requests, buffer, most + 4u - runtime->prefix_read);
  if (got == -1) return false;
  if (got <= 0) {
    watch_close(&runtime->requests);
    runtime->kill_at = now_ms() + EXIT_MS; /* it is on its way out; let it tell its own exit code */
    return true;
  }
  take_messages(runtime, buffer, (size_t)got);
  return true;
}

bool kernel_pump(struct runtime *runtime) {
  if (runtime->state == STOPPED || runtime->requests.fd < 0) return false;
  bool moved = write_request(runtime);
  return (runtime->requests.fd >= 0 && read_answer(runtime)) || moved;
}
