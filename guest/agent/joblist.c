/* The list of all jobs, a record for each. */
#include "job.h"

/* A description and the fields before it; less than the records a host takes. */
#define MOST_RECORD 16384
#define ENDING 64

static struct stream *lists;

void list_open(struct stream *stream) { job_link(&lists, stream); }

void list_let_go(struct stream *stream) { job_unlink(&lists, stream); }

static void put_record(const struct job *job, struct writer *out) {
  uint8_t fields[MOST_RECORD - 4];
  struct writer record = writer_on(fields, sizeof fields);
  put_u32(&record, (uint32_t)job->pid);
  put_u8(&record, job->terminal);
  put_u64(&record, (uint64_t)job->started_ns);
  put_u8(&record, job->exited);
  job_put_end(job, &record);
  put_raw(&record, job->description, job->description_length);
  put_bytes(out, record.data, record.length);
}

static bool pump(struct stream *stream) {
  const struct job *job = job_after(stream->told);
  if (!job) {
    if (!channel_has_room(ENDING)) return false;
    list_let_go(stream);
    stream_result(stream, "", 0);
    return true;
  }
  if (stream->credit < MOST_RECORD || !channel_has_room(MOST_RECORD)) return false;
  uint8_t buffer[MOST_RECORD];
  struct writer record = writer_on(buffer, sizeof buffer);
  put_record(job, &record);
  stream_data(stream, CHANNEL_OUT, record.data, record.length);
  stream->told = job->number;
  return true;
}

bool lists_pump(void) {
  bool moved = false;
  for (struct stream *stream = lists, *next; stream; stream = next) {
    next = stream->sibling;
    moved |= pump(stream);
  }
  return moved;
}
