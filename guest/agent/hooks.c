#include "hooks.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop.h"
#include "spawn.h"

#define FOLDER "/etc/forkd/post-fork.d"
#define HOOK_MS 10000
#define MAX_HOOKS 64

static char *names[MAX_HOOKS];
static int count, next;
static bool overfull;
static pid_t running;
static bool ended;
static int ended_status;
static int64_t kill_at;

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool hook_path(const char *name, char *path, size_t size) {
  return format(path, size, "%s" FOLDER "/%s", config.identity_root, name);
}

static void forget(void) {
  for (int i = 0; i < count; i++) free(names[i]);
  count = next = 0;
  running = 0;
  ended = overfull = false;
}

void hooks_begin(void) {
  forget();
  char folder[256], path[512];
  if (!hook_path("", folder, sizeof folder)) return;
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    if (entry->d_name[0] == '.' || !hook_path(entry->d_name, path, sizeof path)) continue;
    if (access(path, X_OK) < 0) continue;
    overfull = count == MAX_HOOKS;
    if (overfull) break;
    names[count] = strdup(entry->d_name);
    if (names[count]) count++;
  }
  if (dir) closedir(dir);
  qsort(names, (size_t)count, sizeof *names, by_name);
}

static enum hooks_state start(char *message, size_t size) {
  char path[512];
  if (!hook_path(names[next], path, sizeof path)) return HOOKS_FAILED;
  char *argv[] = {path, NULL};
  struct spawn spawn = {.argv = argv, .cwd = "/", .fds = {-1, STDERR_FILENO, STDERR_FILENO, -1, -1}};
  running = spawn_process(&spawn, message, size);
  if (running < 0) return HOOKS_FAILED;
  kill_at = now_ms() + HOOK_MS;
  loop_wake_at(kill_at);
  return HOOKS_RUNNING;
}

static enum hooks_state finish(char *message, size_t size) {
  running = 0;
  ended = false;
  next++;
  if (WIFEXITED(ended_status) && WEXITSTATUS(ended_status) == 0) return HOOKS_RAN_ONE;
  if (WIFSIGNALED(ended_status))
    format(message, size, "killed by signal %d", WTERMSIG(ended_status));
  else
    format(message, size, "exit code %d", WEXITSTATUS(ended_status));
  return HOOKS_FAILED;
}

enum hooks_state hooks_pump(char *step, size_t step_size, char *message, size_t message_size) {
  format(step, step_size, "%s", next < count ? names[next] : "post-fork.d");
  format(message, message_size, "more than %d hooks", MAX_HOOKS);
  enum hooks_state state;
  if (overfull)
    state = HOOKS_FAILED;
  else if (running > 0 && ended)
    state = finish(message, message_size);
  else if (running == 0 && next < count)
    state = start(message, message_size);
  else
    state = running > 0 ? HOOKS_RUNNING : HOOKS_DONE;
  if (state == HOOKS_RUNNING) {
    loop_wake_at(kill_at);
    if (now_ms() >= kill_at) kill(-running, SIGKILL);
  }
  if (state == HOOKS_FAILED || state == HOOKS_DONE) forget();
  return state;
}

bool hooks_reaped(pid_t pid, int status) {
  if (running <= 0 || pid != running) return false;
  ended = true;
  ended_status = status;
  return true;
}

void hooks_abort(void) {
  if (running > 0) kill(-running, SIGKILL);
  forget();
}
