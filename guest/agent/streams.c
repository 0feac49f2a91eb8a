#include "streams.h"

#include <stdlib.h>
#include <string.h>

#include "connect.h"
#include "contexts.h"
#include "cpus.h"
#include "exec.h"
#include "fileop.h"
#include "inspect.h"
#include "jobs.h"
#include "metrics.h"
#include "process.h"
#include "runtime.h"

/* An OPEN may carry a first piece that no window covers. */
#define IN_CAPACITY (INITIAL_WINDOW + MAX_PAYLOAD)

static struct stream streams[MAX_STREAMS];
static int in_use; /* every slot from here on is free, so that a quiet agent looks at few */
static uint32_t last_opened;

static struct stream *find(uint32_t id) {
  for (int i = 0; i < in_use; i++)
    if (streams[i].id == id) return &streams[i];
  return NULL;
}

static struct stream *find_free(void) {
  struct stream *freed = find(0);
  if (freed || in_use == MAX_STREAMS) return freed;
  return &streams[in_use++];
}

static void release(struct stream *stream) {
  free(stream->in);
  *stream = (struct stream){0};
  while (in_use > 0 && streams[in_use - 1].id == 0) in_use--;
}

void streams_drop_all(void) {
  for (int i = MAX_STREAMS - 1; i >= 0; i--) {
    struct stream *stream = &streams[i];
    if (stream->id == 0) continue;
    if (stream->process) process_detach(stream->process, false);
    if (stream->runtime) runtime_detach(stream->runtime, stream, false);
    if (stream->connection) connection_abort(stream->connection);
    job_let_go(stream);
    release(stream);
  }
  last_opened = 0;
}

bool stream_push(struct stream *stream, const void *data, size_t length) {
  if (length == 0) return true;
  if (!stream->in) stream->in = malloc(IN_CAPACITY);
  if (!stream->in || length > IN_CAPACITY - stream->in_length) return false;
  memcpy(stream->in + stream->in_length, data, length);
  stream->in_length += length;
  return true;
}

void stream_consumed(struct stream *stream, size_t length) {
  stream->in_length -= length;
  if (stream->in_length > 0) memmove(stream->in, stream->in + length, stream->in_length);
  stream->consumed += (uint32_t)length;
  uint32_t used = INITIAL_WINDOW - stream->window;
  uint32_t grant = stream->consumed < used ? stream->consumed : used;
  if (grant < INITIAL_WINDOW / 4 || !channel_has_room(4)) return;
  stream->consumed = 0;
  stream->window += grant;
  uint8_t buffer[4];
  struct writer payload = writer_on(buffer, sizeof buffer);
  put_u32(&payload, grant);
  channel_send_writer(WINDOW, stream->id, &payload);
}

void stream_data(struct stream *stream, uint8_t channel, const void *data, size_t length) {
  stream->credit -= (uint32_t)length;
  channel_send(DATA, channel, stream->id, data, length);
}

void stream_result(struct stream *stream, const void *payload, size_t length) {
  uint32_t id = stream->id;
  release(stream);
  channel_send(RESULT, 0, id, payload, length);
}

static void send_reset(uint32_t id, uint16_t code, const char *message) {
  uint8_t buffer[1024];
  struct writer payload = writer_on(buffer, sizeof buffer);
  put_u16(&payload, code);
  size_t length = strlen(message), most = sizeof buffer - 6;
  put_bytes(&payload, message, length < most ? length : most);
  channel_send_writer(RESET, id, &payload);
}

void stream_reset(struct stream *stream, uint16_t code, const char *message) {
  uint32_t id = stream->id;
  release(stream);
  send_reset(id, code, message);
}

struct stream *stream_waiting(const struct runtime *runtime, uint8_t kind) {
  struct stream *first = NULL;
  for (int i = 0; i < in_use; i++) {
    struct stream *stream = &streams[i];
    if (stream->id == 0 || stream->runtime != runtime || stream->kind != kind) continue;
    if (!first || stream->id < first->id) first = stream;
  }
  return first;
}

static void open_stream(uint32_t id, struct reader in) {
  if (id <= last_opened) {
    channel_violated("OPEN reuses a stream number");
    return;
  }
  last_opened = id;
  struct stream *stream = find_free();
  uint8_t kind = get_u8(&in);
  if (!stream) {
    send_reset(id, E_LIMIT, "too many open streams");
    return;
  }
  *stream = (struct stream){.id = id, .kind = kind, .credit = INITIAL_WINDOW, .window = INITIAL_WINDOW};
  switch (kind) {
    case KIND_EXEC: exec_open(stream, in); break;
    case KIND_EVAL: runtime_open_eval(stream, in); break;
    case KIND_START: runtime_open_start(stream, in); break;
    case KIND_FILES:
    case KIND_DESCRIBE:
    case KIND_READ:
    case KIND_PROCESSES: inspect_open(stream, in); break;
    case KIND_CONNECT: connect_open(stream, in); break;
    case KIND_CPUS: cpus_open(stream, in); break;
    case KIND_PROCESS: job_open(stream, in); break;
    case KIND_ATTACH: job_open_attach(stream, in); break;
    case KIND_PROCESS_CONTROL: job_open_control(stream, in); break;
    case KIND_FILE: file_open(stream, in); break;
    case KIND_METRICS: metrics_open(stream, in); break;
    case KIND_CONTEXT: context_open(stream, in); break;
    default: stream_reset(stream, E_UNSUPPORTED, "unknown kind of stream"); break;
  }
}

static void add_credit(struct stream *stream, struct reader in) {
  uint32_t grant = get_u32(&in);
  if (!reader_done(&in) || grant > INITIAL_WINDOW - stream->credit)
    channel_violated("WINDOW is malformed or grants more than the limit");
  else
    stream->credit += grant;
}

/* Ends what the stream stands for and frees it, with or without a word to the host. */
static void abandon(struct stream *stream) {
  if (stream->process) process_detach(stream->process, true);
  if (stream->runtime) runtime_detach(stream->runtime, stream, true);
  if (stream->connection) connection_release(stream->connection);
  job_let_go(stream);
}

static bool takes_input(const struct stream *stream) {
  return stream->kind != KIND_START && stream->kind != KIND_PROCESS && stream->kind != KIND_ATTACH &&
         stream->kind != KIND_CONTEXT;
}

static void take_data(struct stream *stream, const struct frame *frame) {
  bool fits = frame->flags == CHANNEL_IN && frame->length <= stream->window && !stream->in_ended;
  if (fits) stream->window -= (uint32_t)frame->length;
  bool unread = (stream->process && process_stdin_closed(stream->process)) ||
                (stream->connection && connection_deaf(stream->connection));
  if (fits && unread) {
    stream->consumed += (uint32_t)frame->length; /* take and drop it */
    stream_consumed(stream, 0);
    return;
  }
  if (fits && takes_input(stream) && stream_push(stream, frame->payload, frame->length)) return;
  abandon(stream);
  stream_reset(stream, E_FLOW, "DATA that the stream does not take, or more than its window");
}

static void cancel(struct stream *stream) {
  if (stream->process) {
    process_kill(stream->process);
  } else if (stream->connection) {
    connection_abort(stream->connection);
    stream_reset(stream, E_CANCELLED, "cancelled");
  } else if (stream->kind >= KIND_PROCESS && stream->kind <= KIND_PROCESS_CONTROL) {
    job_cancel(stream);
  } else {
    runtime_cancel(stream->runtime, stream);
  }
}

void streams_frame(const struct frame *frame) {
  struct reader in = reader_of(frame->payload, frame->length);
  if (frame->type == OPEN) {
    open_stream(frame->stream, in);
    return;
  }
  struct stream *stream = find(frame->stream);
  bool known = frame->type >= DATA && frame->type <= CANCEL && frame->type != RESULT;
  if (!known) {
    if (stream) abandon(stream), release(stream);
    send_reset(frame->stream, E_UNSUPPORTED, "unknown message type");
  } else if (!stream && frame->stream > last_opened) {
    channel_violated("a message for a stream that was never opened");
  } else if (!stream) {
    return; /* crossed with the end of the stream */
  } else if (frame->type == DATA) {
    take_data(stream, frame);
  } else if (frame->type == WINDOW) {
    add_credit(stream, in);
  } else if (frame->type == END) {
    stream->in_ended = true;
  } else if (frame->type == CANCEL) {
    cancel(stream);
  } else {
    abandon(stream);
    release(stream);
  }
}
