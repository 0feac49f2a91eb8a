/* What is written to a job: each stream's bytes in their order, as the pipe or terminal takes them. */
#include <termios.h>

#include "job.h"

#define ENDING 256

static struct watch *input_of(struct job *job) { return job->terminal ? &job->out[0] : &job->in; }

static bool input_closed(struct job *job) { return job->deaf || input_of(job)->fd < 0; }

void input_open(struct job *job, struct stream *stream) {
  if (input_closed(job)) {
    stream_reset(stream, E_BROKEN, "its input is closed, or was never open");
    return;
  }
  stream->job = job;
  job_link(&job->writers, stream);
}

/* A terminal has no end of input but the character that stands for it. */
static void type_end(struct job *job, struct stream *stream) {
  struct termios settings;
  uint8_t end = 4;
  if (tcgetattr(job->out[0].fd, &settings) == 0) end = settings.c_cc[VEOF];
  if (!stream_push(stream, &end, 1)) {
    stream_reset(stream, E_LIMIT, "out of memory");
    return;
  }
  stream->in_ended = true;
  input_open(job, stream);
}

void input_close(struct job *job, struct stream *stream) {
  if (job->terminal) {
    type_end(job, stream);
  } else {
    watch_close(&job->in);
    stream_result(stream, "", 0);
  }
}

/* Ends the stream with how much was taken; what is left was for nobody. */
static bool end(struct job *job, struct stream *stream) {
  if (!channel_has_room(ENDING)) return false;
  job_unlink(&job->writers, stream);
  if (stream->in_length > 0) {
    stream_reset(stream, E_BROKEN, "its input is closed, or nobody reads it any more");
    return true;
  }
  uint8_t buffer[8];
  struct writer payload = writer_on(buffer, sizeof buffer);
  if (stream->counted) put_u64(&payload, stream->told);
  stream_result(stream, payload.data, payload.length);
  return true;
}

static bool pump_writer(struct job *job, struct stream *stream) {
  if (input_closed(job)) return end(job, stream);
  if (stream->in_length == 0) {
    stream_consumed(stream, 0);
    return stream->in_ended && end(job, stream);
  }
  struct watch *in = input_of(job);
  if (!in->writable) return false;
  ssize_t put = watch_write(in, stream->in, stream->in_length);
  if (put == -2) job->deaf = true;
  if (put > 0) {
    stream->told += (uint64_t)put;
    stream_consumed(stream, (size_t)put);
  }
  return put != -1;
}

bool inputs_pump(struct job *job) {
  bool moved = false;
  for (struct stream *stream = job->writers, *next; stream; stream = next) {
    next = stream->sibling;
    moved |= pump_writer(job, stream);
  }
  if (job->deaf) watch_close(&job->in);
  return moved;
}
