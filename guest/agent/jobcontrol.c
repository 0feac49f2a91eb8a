/* Streams that have to do with a process that already runs: to listen, to list, to order about. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "job.h"
#include "terminal.h"

#define MOST_TAG 256
#define HIGHEST_SIGNAL 64
#define REPLAY 1

enum control { LIST = 1, SIGNAL = 2, RESIZE = 3, CLOSE_INPUT = 4, INPUT = 5 };

/* Which process is meant. */
struct reference {
  uint32_t pid;
  char tag[MOST_TAG];
};

static bool read_reference(struct reader *in, struct reference *which) {
  which->pid = get_u32(in);
  return slice_text(get_bytes(in), which->tag, sizeof which->tag) && !in->bad;
}

/* NULL when there is none, which has ended the stream. */
static struct job *find(struct stream *stream, const struct reference *which) {
  struct job *job = which->pid || *which->tag ? job_find(which->pid, which->tag) : NULL;
  if (job) return job;
  char message[COMPLAINT_SIZE];
  if (which->pid)
    format(message, sizeof message, "no process %u was started here, or it ended long ago", which->pid);
  else
    format(message, sizeof message, "no process was started here with tag '%s', or it ended long ago", which->tag);
  stream_reset(stream, E_NOT_FOUND, message);
  return NULL;
}

void job_open_attach(struct stream *stream, struct reader in) {
  struct reference which;
  bool whole = read_reference(&in, &which);
  uint8_t flags = get_u8(&in);
  if (!whole || !reader_done(&in) || flags > REPLAY) {
    stream_reset(stream, E_MALFORMED, "attach needs a process and flags");
    return;
  }
  struct job *job = find(stream, &which);
  if (job) listen_to(job, stream, flags & REPLAY);
}

static void send_signal(struct job *job, struct stream *stream, uint8_t number) {
  if (kill(-job->pid, number) == 0)
    stream_result(stream, "", 0);
  else
    stream_reset(stream, errno == ESRCH ? E_NOT_FOUND : E_DENIED, strerror(errno));
}

static void resize(struct job *job, struct stream *stream, uint16_t columns, uint16_t rows) {
  if (!job->terminal)
    stream_reset(stream, E_UNFIT, "it runs without a terminal");
  else if (job->out[0].fd < 0 || terminal_resize(job->out[0].fd, columns, rows) < 0)
    stream_reset(stream, E_BROKEN, "its terminal is closed");
  else
    stream_result(stream, "", 0);
}

static void order(struct job *job, struct stream *stream, uint8_t control, uint16_t first, uint16_t second) {
  if (control == INPUT) {
    stream->counted = true;
    input_open(job, stream);
  } else if (job->ended) {
    stream_reset(stream, E_NOT_FOUND, "the process has ended");
  } else if (control == SIGNAL) {
    send_signal(job, stream, (uint8_t)first);
  } else if (control == RESIZE) {
    resize(job, stream, first, second);
  } else {
    input_close(job, stream);
  }
}

void job_open_control(struct stream *stream, struct reader in) {
  uint8_t control = get_u8(&in);
  struct reference which;
  bool whole = read_reference(&in, &which);
  uint16_t first = control == SIGNAL ? get_u8(&in) : control == RESIZE ? get_u16(&in) : 0;
  uint16_t second = control == RESIZE ? get_u16(&in) : 0;
  bool possible = control >= LIST && control <= INPUT && (control != SIGNAL || (first >= 1 && first <= HIGHEST_SIGNAL));
  if (!whole || !reader_done(&in) || !possible) {
    stream_reset(stream, E_MALFORMED, "no such order to a process, or not all that it needs");
    return;
  }
  if (control == LIST) {
    list_open(stream);
    return;
  }
  struct job *job = find(stream, &which);
  if (job) order(job, stream, control, first, second);
}
