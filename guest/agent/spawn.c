#define _GNU_SOURCE
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptors.h"
#include "launch.h"

#define SAFE_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

extern char **environ;

static bool executable(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* A name with a slash stands for itself, others are looked up; errno tells why nothing was found. */
static int resolve(const char *name, const char *search, char *found, size_t size) {
  if (strchr(name, '/')) {
    if (format(found, size, "%s", name)) return 0;
    errno = ENAMETOOLONG;
    return -1;
  }
  errno = ENOENT;
  if (!*name) return -1;
  for (const char *dir = search; dir; dir = strchr(dir, ':') ? strchr(dir, ':') + 1 : NULL) {
    int length = (int)strcspn(dir, ":");
    if (length > 0 && format(found, size, "%.*s/%s", length, dir, name) && executable(found)) return 0;
  }
  errno = ENOENT;
  return -1;
}

static const char *lookup(char *const *env, const char *key) {
  size_t length = strlen(key);
  for (; env && *env; env++)
    if (strncmp(*env, key, length) == 0 && (*env)[length] == '=') return *env + length + 1;
  return NULL;
}

bool program_exists(const char *name) {
  char path[4096];
  const char *search = getenv("PATH");
  return resolve(name, search ? search : SAFE_PATH, path, sizeof path) == 0;
}

static bool has(char *const *env, const char *entry) {
  char key[256];
  return format(key, sizeof key, "%.*s", (int)strcspn(entry, "="), entry) && lookup(env, key);
}

/* What a login would set. The agent's own user keeps what the sandbox's environment says. */
static char *const *login_env(const struct account *account) {
  static char home[sizeof account->home + 8], user[80], logname[80], shell[sizeof account->shell + 8];
  static char path[] = "PATH=" SAFE_PATH;
  static char *env[6];
  if (!account) return NULL;
  format(home, sizeof home, "HOME=%s", account->home);
  format(user, sizeof user, "USER=%s", account->name);
  format(logname, sizeof logname, "LOGNAME=%s", account->name);
  format(shell, sizeof shell, "SHELL=%s", account->shell);
  char *const all[] = {home, user, logname, shell, path};
  int used = 0;
  for (int i = 0; i < 5; i++) {
    bool given = has(environ, all[i]) && (all[i] == path || account->uid == geteuid());
    if (!given) env[used++] = all[i];
  }
  env[used] = NULL;
  return env;
}

static size_t length_of(char *const *env) {
  size_t length = 0;
  while (env && env[length]) length++;
  return length;
}

/* The agent's own environment, with the user's and the caller's entries in place of those of the same name. */
static char **merge_env(char *const *extra, char *const *login) {
  size_t used = 0;
  char **merged = calloc(length_of(environ) + length_of(login) + length_of(extra) + 1, sizeof *merged);
  if (!merged) return NULL;
  for (char **own = environ; *own; own++)
    if (!has(extra, *own) && !has(login, *own)) merged[used++] = *own;
  for (; login && *login; login++)
    if (!has(extra, *login)) merged[used++] = *login;
  for (; extra && *extra; extra++) merged[used++] = *extra;
  return merged;
}

static int prepare(const struct spawn *spawn, const char *cwd, posix_spawn_file_actions_t *actions,
                   posix_spawnattr_t *attributes) {
  int failure = 0;
  for (int fd = 0; fd < 5 && !failure; fd++) {
    if (spawn->fds[fd] >= 0)
      failure = posix_spawn_file_actions_adddup2(actions, spawn->fds[fd], fd);
    else if (fd < 3)
      failure = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0);
  }
  if (!failure) failure = posix_spawn_file_actions_addchdir_np(actions, cwd);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setflags(attributes,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  return failure;
}

static int launch(const struct spawn *spawn, const char *path, const char *cwd, char *const *env, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  int failure = prepare(spawn, cwd, &actions, &attributes);
  descriptors_as_given(true);
  if (!failure) failure = posix_spawn(pid, path, &actions, &attributes, spawn->argv, env);
  descriptors_as_given(false);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failure;
}

pid_t spawn_process(const struct spawn *spawn, char *complaint, size_t size) {
  const char *cwd = spawn->cwd;
  struct stat info;
  if (!cwd || !*cwd) {
    cwd = lookup(environ, "HOME");
    if (!cwd || stat(cwd, &info) < 0) cwd = "/";
  } else if (stat(cwd, &info) < 0 || !S_ISDIR(info.st_mode)) {
    int failure = stat(cwd, &info) < 0 ? errno : ENOTDIR;
    format(complaint, size, "forkd: cannot change to folder %s: %s\n", cwd, strerror(failure));
    return -failure;
  }
  const char *search = lookup(spawn->extra_env, "PATH");
  if (!search) search = lookup(environ, "PATH");
  char path[4096];
  int failure = resolve(spawn->argv[0], search ? search : SAFE_PATH, path, sizeof path) < 0 ? errno : 0;
  pid_t pid = 0;
  if (!failure) {
    char **env = merge_env(spawn->extra_env, login_env(spawn->account));
    failure = !env             ? ENOMEM
              : spawn->account ? launch_forked(spawn, path, cwd, env, &pid)
                               : launch(spawn, path, cwd, env, &pid);
    free(env);
  }
  if (!failure) return pid;
  format(complaint, size, "forkd: cannot run %s: %s\n", spawn->argv[0], strerror(failure));
  return -failure;
}
