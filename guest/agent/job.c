#include "job.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define MAX_LIVE 512
#define MAX_ENDED 64
#define REMEMBERED_MS (10 * 60 * 1000)
/* How long output of a dead process may still come from children it left behind. */
#define DRAIN_MS 200
/* The most a pipe can hold: what comes after it was not written by the process itself. */
#define PIPE_MOST (1u << 20)

static struct job *jobs[MAX_LIVE + MAX_ENDED]; /* oldest first */
static int count;
static uint64_t last_number;

static int ended_jobs(void) {
  int ended = 0;
  for (int i = 0; i < count; i++) ended += jobs[i]->ended;
  return ended;
}

struct job *job_new(struct stream *stream) {
  bool room = count < MAX_LIVE + MAX_ENDED && count - ended_jobs() < MAX_LIVE;
  struct job *job = room ? calloc(1, sizeof *job) : NULL;
  if (!job) {
    stream_reset(stream, E_LIMIT, "the guest runs as many processes as its agent keeps track of, or is out of memory");
    return NULL;
  }
  job->in.fd = job->out[0].fd = job->out[1].fd = -1;
  return job;
}

static void close_all(struct job *job) {
  watch_close(&job->in);
  watch_close(&job->out[0]);
  watch_close(&job->out[1]);
}

void job_free(struct job *job) {
  close_all(job);
  free(job->ring);
  free(job->tag);
  free(job->description);
  free(job);
}

static void forget(int at) {
  job_free(jobs[at]);
  memmove(jobs + at, jobs + at + 1, (size_t)(--count - at) * sizeof *jobs);
}

/* Those that somebody has still to be told about stay. */
static void forget_old(void) {
  int too_many = ended_jobs() - MAX_ENDED;
  int64_t now = now_ms();
  for (int i = 0; i < count;) {
    const struct job *job = jobs[i];
    bool idle = job->ended && !job->listeners && !job->writers;
    if (idle && (too_many > 0 || now - job->ended_at >= REMEMBERED_MS)) {
      forget(i);
      too_many--;
    } else {
      i++;
    }
  }
}

void job_add(struct job *job) {
  job->number = ++last_number;
  jobs[count++] = job;
}

struct job *job_find(uint32_t pid, const char *tag) {
  forget_old();
  for (int i = count - 1; i >= 0; i--)
    if (pid ? (uint32_t)jobs[i]->pid == pid : strcmp(jobs[i]->tag, tag) == 0) return jobs[i];
  return NULL;
}

struct job *job_after(uint64_t number) {
  for (int i = 0; i < count; i++)
    if (jobs[i]->number > number) return jobs[i];
  return NULL;
}

void job_kill(struct job *job, int signal_number) {
  if (!job->ended) kill(-job->pid, signal_number);
}

void job_link(struct stream **list, struct stream *stream) {
  while (*list) list = &(*list)->sibling;
  *list = stream;
}

void job_unlink(struct stream **list, struct stream *stream) {
  while (*list && *list != stream) list = &(*list)->sibling;
  if (*list) *list = stream->sibling;
  stream->sibling = NULL;
  stream->job = NULL;
}

void job_let_go(struct stream *stream) {
  if (stream->job) {
    struct job *job = stream->job;
    bool listens = stream->kind != KIND_PROCESS_CONTROL;
    job_unlink(listens ? &job->listeners : &job->writers, stream);
  } else if (stream->kind == KIND_PROCESS_CONTROL) {
    list_let_go(stream);
  }
}

void job_cancel(struct stream *stream) {
  if (stream->kind != KIND_PROCESS_CONTROL) {
    job_kill(stream->job, SIGKILL);
    return;
  }
  job_let_go(stream);
  stream_reset(stream, E_CANCELLED, "cancelled");
}

bool job_reaped(pid_t pid, int status) {
  for (int i = 0; i < count; i++) {
    if (jobs[i]->pid != pid || jobs[i]->exited) continue;
    jobs[i]->exited = true;
    jobs[i]->status = status;
    return true;
  }
  return false;
}

void job_put_end(const struct job *job, struct writer *out) {
  bool signalled = job->exited && WIFSIGNALED(job->status);
  int value = !job->exited ? 0 : signalled ? WTERMSIG(job->status) : WEXITSTATUS(job->status);
  put_u8(out, signalled);
  put_u32(out, (uint32_t)value);
  put_u8(out, signalled && job->timed_out);
}

static bool silent(const struct watch *out) { return out->fd < 0 || !out->readable; }

/* Whether nothing more will come; a pipe held open by a left-behind child gets a short grace. */
static bool finished(struct job *job) {
  if (!job->exited || job->ended) return false;
  if (job->out[0].fd < 0 && job->out[1].fd < 0) return true;
  if (job->drained_at == 0) job->drained_at = now_ms() + DRAIN_MS;
  if (now_ms() < job->drained_at) {
    loop_wake_at(job->drained_at);
    return false;
  }
  return job->read_since_exit > PIPE_MOST || (silent(&job->out[0]) && silent(&job->out[1]));
}

static void watch_time(struct job *job) {
  if (job->kill_at == 0 || job->exited) return;
  if (now_ms() < job->kill_at) {
    loop_wake_at(job->kill_at);
    return;
  }
  job->kill_at = 0;
  job->timed_out = true;
  job_kill(job, SIGKILL);
}

static bool pump(struct job *job) {
  watch_time(job);
  bool moved = inputs_pump(job);
  moved |= listeners_pump(job);
  if (!finished(job)) return moved;
  close_all(job);
  job->ended = true;
  job->ended_at = now_ms();
  return true;
}

/* Begins with another job each time, so that the first ones do not take all the room there is. */
bool jobs_pump(void) {
  static unsigned turn;
  bool moved = false;
  turn++;
  for (int i = 0; i < count; i++) moved |= pump(jobs[(turn + (unsigned)i) % (unsigned)count]);
  forget_old();
  return lists_pump() || moved;
}

void jobs_kill_all(void) {
  for (int i = 0; i < count; i++) job_kill(jobs[i], SIGKILL);
}
