/* What a process stream asks for, and how that comes to run. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptors.h"
#include "job.h"
#include "spawn.h"
#include "terminal.h"

#define WITH_INPUT 1
#define WITH_TERMINAL 2
#define MOST_PATH 4096
#define MOST_TAG 256
/* How much of the arguments and of the environment a list tells; a record must fit 16 KiB. */
#define TOLD_ARGUMENTS 6144
#define TOLD_ENVIRONMENT 4096

/* An OPEN in parts, on the heap. */
struct order {
  uint8_t flags;
  uint16_t columns, rows;
  char **argv, **env;
  char *cwd, *user, *tag;
  uint32_t timeout_ms;
};

static bool read_order(struct reader *in, struct order *order) {
  order->flags = get_u8(in);
  order->columns = get_u16(in);
  order->rows = get_u16(in);
  order->argv = get_texts(in);
  order->env = order->argv ? get_texts(in) : NULL;
  order->cwd = order->env ? slice_dup(get_bytes(in)) : NULL;
  order->user = order->cwd ? slice_dup(get_bytes(in)) : NULL;
  order->tag = order->user ? slice_dup(get_bytes(in)) : NULL;
  order->timeout_ms = get_u32(in);
  return order->tag && reader_done(in) && order->argv[0] && order->flags <= (WITH_INPUT | WITH_TERMINAL) &&
         strlen(order->tag) < MOST_TAG;
}

static void free_order(struct order *order) {
  free_texts(order->argv);
  free_texts(order->env);
  free(order->cwd);
  free(order->user);
  free(order->tag);
}

/* The folder to start in: absolute, below the home, or the home itself where it is there. 0 or a code. */
static int find_folder(const struct order *order, const struct account *account, char *folder, char *complaint) {
  const char *cwd = order->cwd;
  bool home = !*cwd;
  if (cwd[0] == '~' && (!cwd[1] || cwd[1] == '/')) cwd += cwd[1] ? 2 : 1;
  const char *top = *cwd == '/' ? "" : account->home;
  struct stat info;
  bool fits = format(folder, MOST_PATH, "%s%s%s", top, *top && *cwd ? "/" : "", cwd);
  if (fits && stat(folder, &info) == 0 && S_ISDIR(info.st_mode)) return 0;
  if (home) return format(folder, MOST_PATH, "/") ? 0 : E_LIMIT;
  int failure = !fits ? ENAMETOOLONG : stat(folder, &info) < 0 ? errno : ENOTDIR;
  format(complaint, COMPLAINT_SIZE, "cannot change to folder %.256s: %s", cwd, strerror(failure));
  return failure == ENOENT    ? E_NOT_FOUND
         : failure == ENOTDIR ? E_NOT_A_FOLDER
         : failure == EACCES  ? E_DENIED
                              : E_UNFIT;
}

/* What does not fit is cut off. */
static void put_some(struct writer *out, char **texts, size_t most) {
  size_t at = out->length;
  uint16_t count = 0;
  put_u16(out, 0);
  for (; *texts && most > 4; texts++, count++) {
    size_t length = strlen(*texts);
    if (length > most - 4) length = most - 4;
    put_bytes(out, *texts, length);
    most -= length + 4;
  }
  struct writer counted = writer_on(out->data + at, 2);
  put_u16(&counted, count);
}

static bool describe(struct job *job, const struct order *order, const struct account *account, const char *folder) {
  static uint8_t buffer[TOLD_ARGUMENTS + TOLD_ENVIRONMENT + MOST_PATH + MOST_TAG + 256];
  struct writer out = writer_on(buffer, sizeof buffer);
  put_some(&out, order->argv, TOLD_ARGUMENTS);
  put_some(&out, order->env, TOLD_ENVIRONMENT);
  put_text(&out, folder);
  put_text(&out, account->name);
  put_text(&out, order->tag);
  job->tag = strdup(order->tag);
  job->description = malloc(out.length);
  if (!job->tag || !job->description || out.bad) return false;
  memcpy(job->description, out.data, out.length);
  job->description_length = out.length;
  return true;
}

static void close_pairs(int pairs[3][2]) {
  for (int i = 0; i < 3; i++)
    for (int end = 0; end < 2; end++)
      if (pairs[i][end] >= 0) close(pairs[i][end]);
}

/* Pairs of descriptors, ours first and the child's second; false with errno. */
static bool make_pairs(const struct order *order, const struct account *account, int pairs[3][2]) {
  if (order->flags & WITH_TERMINAL) return terminal_open(account, order->columns, order->rows, pairs[1]) == 0;
  for (int i = order->flags & WITH_INPUT ? 0 : 1; i < 3; i++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return false;
    pairs[i][1] = ends[i != 0];
    pairs[i][0] = descriptor_apart(ends[i == 0]);
    if (pairs[i][0] < 0) return false;
  }
  return true;
}

/* Starts the program; 0, or the code to refuse with and the complaint. */
static int start(struct job *job, const struct order *order, const struct account *account, const char *folder,
                 char *complaint) {
  int pairs[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  struct spawn spawn = {.argv = order->argv, .extra_env = order->env, .cwd = folder, .fds = {-1, -1, -1, -1, -1}};
  spawn.account = account;
  spawn.terminal = job->terminal = order->flags & WITH_TERMINAL;
  if (!make_pairs(order, account, pairs)) {
    format(complaint, COMPLAINT_SIZE, "cannot make its pipes or its terminal: %s", strerror(errno));
    close_pairs(pairs);
    return E_LIMIT;
  }
  for (int i = 0; i < 3; i++) spawn.fds[i] = job->terminal ? pairs[1][1] : pairs[i][1];
  job->pid = spawn_process(&spawn, complaint, COMPLAINT_SIZE);
  int failure = job->pid < 0 ? -job->pid : 0;
  struct watch *ends[] = {&job->in, &job->out[0], &job->out[1]};
  for (int i = 0; i < 3 && !failure; i++) {
    if (pairs[i][0] >= 0 && watch_open(ends[i], pairs[i][0]) < 0) job_kill(job, SIGKILL);
    pairs[i][0] = -1;
  }
  close_pairs(pairs);
  if (!failure) return 0;
  bool used_up = failure == EAGAIN || failure == ENOMEM || failure == EMFILE || failure == ENFILE;
  return used_up ? E_LIMIT : failure == EACCES || failure == EPERM ? E_DENIED : E_UNFIT;
}

/* 0, or the code to refuse with and the complaint. */
static int run(struct job *job, const struct order *order, char *complaint) {
  struct account account;
  char folder[MOST_PATH];
  if (!account_find(order->user, &account)) {
    format(complaint, COMPLAINT_SIZE, "there is no user %.64s in /etc/passwd", order->user);
    return E_NO_SUCH_USER;
  }
  int code = find_folder(order, &account, folder, complaint);
  if (code) return code;
  if (!describe(job, order, &account, folder)) {
    format(complaint, COMPLAINT_SIZE, "out of memory");
    return E_LIMIT;
  }
  job->started_ns = wall_ns();
  if (order->timeout_ms > 0) job->kill_at = now_ms() + order->timeout_ms;
  return start(job, order, &account, folder, complaint);
}

/* Without what makes it a line of a shell's. */
static const char *plain(char *complaint) {
  complaint[strcspn(complaint, "\n")] = 0;
  return strncmp(complaint, "forkd: ", 7) == 0 ? complaint + 7 : complaint;
}

void job_open(struct stream *stream, struct reader in) {
  struct order order = {0};
  if (!read_order(&in, &order)) {
    stream_reset(stream, E_MALFORMED, "a process needs arguments, environment, folder, user, tag and a few numbers");
    free_order(&order);
    return;
  }
  struct job *job = job_new(stream);
  char complaint[COMPLAINT_SIZE] = "";
  int code = job ? run(job, &order, complaint) : 0;
  free_order(&order);
  if (code) {
    job_free(job);
    stream_reset(stream, (uint16_t)code, plain(complaint));
  } else if (job) {
    job_add(job);
    listen_to(job, stream, false);
  }
}
