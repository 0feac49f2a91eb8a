/* Streams the host has opened, with the credit of both directions. */
#pragma once

#include "channel.h"

struct connection;
struct job;
struct process;
struct runtime;

struct stream {
  uint32_t id; /* 0: the slot is free */
  uint8_t kind;
  uint32_t credit;   /* bytes the host still takes from us */
  uint32_t window;   /* bytes the host may still send us */
  uint32_t consumed; /* bytes used up since the last grant to the host */
  uint8_t *in;       /* bytes from the host not yet passed on */
  size_t in_length;
  bool in_ended;
  struct process *process; /* KIND_EXEC, and inspections */
  struct runtime *runtime; /* KIND_EVAL, KIND_START and KIND_CONTEXT */
  uint8_t op;              /* KIND_CONTEXT: what was asked */
  struct connection *connection; /* KIND_CONNECT */
  struct job *job;       /* KIND_PROCESS, KIND_ATTACH, and what writes to a process's input */
  struct stream *sibling; /* the next one of the same job, or that asks for the same list */
  bool replaying;        /* KIND_ATTACH: what was kept comes before what is new */
  bool counted;          /* input to a process: RESULT says how much of it was taken */
  uint64_t told;         /* how far a replay, a list or input has come */
  uint32_t body_left;      /* KIND_EVAL: bytes of the request not yet passed on */
};

void streams_frame(const struct frame *frame);
/* Forgets every stream; processes go on and their output is discarded. */
void streams_drop_all(void);
/* Queues bytes from the host for whoever serves the stream; false when memory is short. */
bool stream_push(struct stream *stream, const void *data, size_t length);
/* The first `length` queued bytes were passed on: grants the host new credit when it is worth a frame. */
void stream_consumed(struct stream *stream, size_t length);
/* Sends output; callers keep to the credit. */
void stream_data(struct stream *stream, uint8_t channel, const void *data, size_t length);
/* Ends the stream with its result, or with an error. The stream is free afterwards. */
void stream_result(struct stream *stream, const void *payload, size_t length);
void stream_reset(struct stream *stream, uint16_t code, const char *message);
/* The waiting stream of this runtime that was opened first, of one kind; NULL when none waits. */
struct stream *stream_waiting(const struct runtime *runtime, uint8_t kind);
