#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop.h"
#include "spawn.h"

/* How long output of a dead process may still come from children it left behind. */
#define DRAIN_MS 200
/* The most a pipe can hold: what comes after it was not written by the process itself. */
#define PIPE_MOST (1u << 20)

struct process {
  struct process *next;
  struct stream *stream; /* NULL: output is discarded */
  pid_t pid;
  bool inspector; /* forked, without a program of its own */
  bool exited;
  bool killed;
  int status;
  int64_t drained_at; /* when output need no longer be waited for; 0 until it is dead or killed */
  size_t read_since_exit;
  struct watch in;
  struct watch out[2];
  char complaint[COMPLAINT_SIZE]; /* of an inspector */
  size_t complaint_length;
};

static struct process *processes;

static void close_pair(int pair[2]) {
  if (pair[0] >= 0) close(pair[0]);
  if (pair[1] >= 0) close(pair[1]);
}

static bool make_pipes(int pipes[3][2], bool with_stdin) {
  return (!with_stdin || pipe2(pipes[0], O_CLOEXEC) == 0) && pipe2(pipes[1], O_CLOEXEC) == 0 &&
         pipe2(pipes[2], O_CLOEXEC) == 0;
}

/* Room for a whole window, so that files go through in few turns; it goes without, too. */
static void widen(int pair[2]) {
  if (pair[0] >= 0) fcntl(pair[0], F_SETPIPE_SZ, (int)INITIAL_WINDOW);
}

/* Our ends of the pipes; the child has the others. */
static void keep_pipes(struct process *process, int pipes[3][2]) {
  if (pipes[0][0] >= 0) {
    close(pipes[0][0]);
    watch_open(&process->in, pipes[0][1]);
  }
  for (int i = 0; i < 2; i++) {
    close(pipes[i + 1][1]);
    watch_open(&process->out[i], pipes[i + 1][0]);
  }
}

/* Pipes and the program; on failure nothing is left open and `complaint` says why. */
static pid_t start(struct process *process, struct spawn *spawn, bool with_stdin, char *complaint, size_t size) {
  int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  pid_t pid = -EMFILE;
  if (make_pipes(pipes, with_stdin)) {
    spawn->fds[0] = pipes[0][0];
    spawn->fds[1] = pipes[1][1];
    spawn->fds[2] = pipes[2][1];
    pid = spawn_process(spawn, complaint, size);
  } else {
    format(complaint, size, "forkd: cannot make pipes: %s\n", strerror(errno));
  }
  if (pid < 0) {
    for (int i = 0; i < 3; i++) close_pair(pipes[i]);
    return pid;
  }
  keep_pipes(process, pipes);
  return pid;
}

/* Nothing of the agent's stays open in the child but the layers, which it may want to read: another
   process's input would not end while it holds the other end of it. */
static _Noreturn void become_inspector(int pipes[3][2], int (*work)(const void *), const void *argument) {
  sigset_t none;
  sigemptyset(&none);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setpgid(0, 0);
  if (pipes[0][0] >= 0) dup2(pipes[0][0], STDIN_FILENO);
  dup2(pipes[1][1], STDOUT_FILENO);
  dup2(pipes[2][1], STDERR_FILENO);
  bool layers = config.upper >= 0;
  if (layers) config.upper = dup2(config.upper, 3), config.lower = dup2(config.lower, 4);
  syscall(SYS_close_range, layers ? 5 : 3, ~0u, 0);
  _exit(work(argument));
}

static void send_exit(struct stream *stream, bool signalled, int value) {
  uint8_t buffer[5];
  struct writer payload = writer_on(buffer, sizeof buffer);
  put_u8(&payload, signalled);
  put_u32(&payload, (uint32_t)value);
  stream_result(stream, payload.data, payload.length);
}

/* A process for a stream; NULL when memory is short, which has ended the stream. */
static struct process *new_process(struct stream *stream) {
  struct process *process = calloc(1, sizeof *process);
  if (!process) {
    stream_reset(stream, E_LIMIT, "out of memory");
    return NULL;
  }
  process->in.fd = process->out[0].fd = process->out[1].fd = -1;
  return process;
}

static void attach(struct process *process, struct stream *stream, pid_t pid) {
  process->pid = pid;
  process->stream = stream;
  stream->process = process;
  process->next = processes;
  processes = process;
}

void process_launch(struct stream *stream, char **argv, char **env, const char *cwd, bool with_stdin) {
  struct process *process = new_process(stream);
  if (!process) return;
  struct spawn spawn = {.argv = argv, .extra_env = env, .cwd = cwd, .fds = {-1, -1, -1, -1, -1}};
  char complaint[512] = "";
  pid_t pid = start(process, &spawn, with_stdin, complaint, sizeof complaint);
  if (pid < 0) {
    free(process);
    stream_data(stream, CHANNEL_ERR, complaint, strlen(complaint));
    send_exit(stream, false, pid == -ENOENT || pid == -ENOTDIR ? 127 : 126);
    return;
  }
  attach(process, stream, pid);
}

void process_fork(struct stream *stream, bool with_stdin, int (*work)(const void *), const void *argument) {
  struct process *process = new_process(stream);
  if (!process) return;
  int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  pid_t pid = make_pipes(pipes, with_stdin) ? fork() : -1;
  if (pid == 0) become_inspector(pipes, work, argument);
  if (pid < 0) {
    for (int i = 0; i < 3; i++) close_pair(pipes[i]);
    free(process);
    stream_reset(stream, E_LIMIT, "no process or pipe left for an inspection");
    return;
  }
  setpgid(pid, pid); /* as the child does: whoever comes first */
  for (int i = 0; i < 2; i++) widen(pipes[i]);
  process->inspector = true;
  keep_pipes(process, pipes);
  attach(process, stream, pid);
}

bool process_is_inspector(pid_t pid) {
  for (struct process *process = processes; process; process = process->next)
    if (process->pid == pid && process->inspector) return true;
  return false;
}

/* Also after the leader's end: a child it left behind may be what keeps the stream open. */
void process_kill(struct process *process) {
  kill(-process->pid, SIGKILL);
  process->killed = true;
  process->drained_at = now_ms() + DRAIN_MS;
}

void process_detach(struct process *process, bool kill_group) {
  process->stream = NULL;
  if (kill_group || process->inspector) process_kill(process);
  watch_close(&process->in); /* after that: the end of its input would look like all of it to an inspector */
}

bool process_stdin_closed(const struct process *process) { return process->in.fd < 0; }

bool process_reaped(pid_t pid, int status) {
  for (struct process *process = processes; process; process = process->next) {
    if (process->pid != pid || process->exited) continue;
    process->exited = true;
    process->status = status;
    return true;
  }
  return false;
}

/* An inspector's complaint goes into the RESET that ends its stream; what does not fit is dropped. */
static bool pump_complaint(struct process *process) {
  char buffer[COMPLAINT_SIZE];
  struct watch *out = &process->out[1];
  if (out->fd < 0 || !out->readable) return false;
  ssize_t got = watch_read(out, buffer, sizeof buffer);
  if (got == 0 || got == -2) watch_close(out);
  size_t room = sizeof process->complaint - 1 - process->complaint_length;
  size_t kept = got <= 0 ? 0 : (size_t)got < room ? (size_t)got : room;
  memcpy(process->complaint + process->complaint_length, buffer, kept);
  process->complaint_length += kept;
  return got != -1;
}

static bool pump_output(struct process *process, int index) {
  static uint8_t buffer[CHUNK];
  struct watch *out = &process->out[index];
  struct stream *stream = process->stream;
  if (out->fd < 0 || !out->readable) return false;
  size_t most = CHUNK;
  if (stream && stream->credit < most) most = stream->credit;
  if (most == 0 || (stream && !channel_has_room(most))) return false;
  ssize_t got = watch_read(out, buffer, most);
  if (got > 0 && stream)
    stream_data(stream, (uint8_t)(CHANNEL_OUT + index), buffer, (size_t)got);
  if (got > 0 && process->exited) process->read_since_exit += (size_t)got;
  if (got == 0 || got == -2)
    watch_close(out);
  return got != -1;
}

static bool pump_input(struct process *process) {
  struct watch *in = &process->in;
  struct stream *stream = process->stream;
  if (!stream || in->fd < 0) return false;
  if (stream->in_length == 0) {
    stream_consumed(stream, 0);
    if (stream->in_ended) watch_close(in);
    return false;
  }
  if (!in->writable) return false;
  ssize_t put = watch_write(in, stream->in, stream->in_length);
  if (put == -2) watch_close(in); /* the process no longer reads: what comes is dropped */
  if (put == -2) put = (ssize_t)stream->in_length;
  if (put > 0) stream_consumed(stream, (size_t)put);
  return put > 0;
}

static bool silent(const struct watch *out) { return out->fd < 0 || !out->readable; }

/* Whether nothing more will come; a pipe held open by a left-behind child gets a short grace. */
static bool finished(struct process *process) {
  if (!process->exited) return false;
  bool ended = process->out[0].fd < 0 && process->out[1].fd < 0;
  if (ended || !process->stream) return true;
  if (process->drained_at == 0) process->drained_at = now_ms() + DRAIN_MS;
  if (now_ms() < process->drained_at) {
    loop_wake_at(process->drained_at);
    return false;
  }
  return process->killed || process->read_since_exit > PIPE_MOST ||
         (silent(&process->out[0]) && silent(&process->out[1]));
}

static void send_verdict(const struct process *process) {
  bool exited = WIFEXITED(process->status);
  int code = exited ? WEXITSTATUS(process->status) : process->killed ? E_CANCELLED : E_STEP_FAILED;
  if (code == 0)
    stream_result(process->stream, "", 0);
  else
    stream_reset(process->stream, (uint16_t)code, exited ? process->complaint : "the inspection was killed");
}

static void end(struct process *process) {
  watch_close(&process->in);
  watch_close(&process->out[0]);
  watch_close(&process->out[1]);
  int status = process->status;
  if (process->stream && process->inspector) {
    send_verdict(process);
  } else if (process->stream) {
    bool signalled = WIFSIGNALED(status);
    send_exit(process->stream, signalled, signalled ? WTERMSIG(status) : WEXITSTATUS(status));
  }
  free(process);
}

bool processes_pump(void) {
  bool moved = false;
  struct process **link = &processes;
  while (*link) {
    struct process *process = *link;
    moved |= pump_input(process);
    moved |= pump_output(process, 0);
    moved |= process->inspector ? pump_complaint(process) : pump_output(process, 1);
    if (finished(process) && (!process->stream || channel_has_room(sizeof process->complaint + 16))) {
      *link = process->next;
      end(process);
      moved = true;
    } else {
      link = &process->next;
    }
  }
  return moved;
}

void processes_kill_all(void) {
  for (struct process *process = processes; process; process = process->next) process_kill(process);
}
