/* What a job writes: to those who listen, as fast as the slowest of them takes it, and into its ring. */
#include <stdlib.h>

#include "job.h"

/* What goes to all listeners at once must fit the channel's buffer. */
#define SPREAD (96u * 1024u)
/* What a frame takes beside its payload, and more than any RESULT here. */
#define FRAME_COST 24

void listen_to(struct job *job, struct stream *stream, bool replay) {
  stream->job = job;
  stream->replaying = replay && job->ring;
  if (stream->replaying) stream->told = ring_first(job->ring);
  job_link(&job->listeners, stream);
  uint8_t buffer[5];
  struct writer payload = writer_on(buffer, sizeof buffer);
  put_u32(&payload, (uint32_t)job->pid);
  put_u8(&payload, job->terminal);
  channel_send_writer(OPENED, stream->id, &payload);
}

static bool pump_replay(struct job *job, struct stream *stream) {
  bool moved = false;
  while (stream->replaying && stream->credit > 0 && channel_has_room(CHUNK)) {
    const uint8_t *data;
    bool error;
    size_t most = stream->credit < CHUNK ? stream->credit : CHUNK;
    size_t length = ring_run(job->ring, stream->told, most, &data, &error);
    stream_data(stream, error ? CHANNEL_ERR : CHANNEL_OUT, data, length);
    stream->told += length;
    stream->replaying = stream->told < job->ring->total;
    moved = true;
  }
  return moved;
}

/* How much can be read now so that every listener can be given all of it. */
static size_t allowance(const struct job *job) {
  size_t most = CHUNK, listeners = 0;
  for (const struct stream *stream = job->listeners; stream; stream = stream->sibling, listeners++) {
    if (stream->replaying) return 0;
    if (stream->credit < most) most = stream->credit;
  }
  if (listeners == 0) return most;
  if (most > SPREAD / listeners) most = SPREAD / listeners;
  return channel_has_room((most + FRAME_COST) * listeners) ? most : 0;
}

static bool pump_output(struct job *job, int index) {
  static uint8_t buffer[CHUNK];
  struct watch *out = &job->out[index];
  if (out->fd < 0 || !out->readable) return false;
  size_t most = allowance(job);
  if (most == 0) return false;
  ssize_t got = watch_read(out, buffer, most);
  if (got == 0 || got == -2) watch_close(out);
  if (got <= 0) return got != -1;
  if (!job->ring) job->ring = calloc(1, sizeof *job->ring);
  if (job->ring) ring_add(job->ring, index == 1, buffer, (size_t)got);
  for (struct stream *stream = job->listeners; stream; stream = stream->sibling)
    stream_data(stream, (uint8_t)(CHANNEL_OUT + index), buffer, (size_t)got);
  if (job->exited) job->read_since_exit += (size_t)got;
  return true;
}

static bool tell_end(struct job *job) {
  bool moved = false;
  for (struct stream *stream = job->listeners, *next; stream; stream = next) {
    next = stream->sibling;
    if (stream->replaying || !channel_has_room(FRAME_COST)) continue;
    uint8_t buffer[8];
    struct writer payload = writer_on(buffer, sizeof buffer);
    job_put_end(job, &payload);
    job_unlink(&job->listeners, stream);
    stream_result(stream, payload.data, payload.length);
    moved = true;
  }
  return moved;
}

bool listeners_pump(struct job *job) {
  bool moved = false;
  for (struct stream *stream = job->listeners; stream; stream = stream->sibling) moved |= pump_replay(job, stream);
  moved |= pump_output(job, 0);
  moved |= pump_output(job, 1);
  return (job->ended && tell_end(job)) || moved;
}
