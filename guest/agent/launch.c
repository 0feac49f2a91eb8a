#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "descriptors.h"

static void clean_signals(void) {
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static int place_descriptors(const struct spawn *spawn) {
  for (int fd = 0; fd < 3; fd++) {
    int given = spawn->fds[fd] >= 0 ? spawn->fds[fd] : open("/dev/null", O_RDWR | O_CLOEXEC);
    if (given < 0 || dup2(given, fd) < 0) return errno;
  }
  return 0;
}

/* Runs in the child; returns only when it fails. */
static int become(const struct spawn *spawn, const char *path, const char *cwd, char *const *env) {
  clean_signals();
  if (setsid() < 0) return errno;
  int failure = place_descriptors(spawn);
  if (failure) return failure;
  if (spawn->terminal && ioctl(STDIN_FILENO, TIOCSCTTY, 0) < 0) return errno;
  descriptors_as_given(true);
  failure = -account_become(spawn->account);
  if (failure) return failure;
  if (chdir(cwd) == 0) execve(path, spawn->argv, env);
  return errno;
}

int launch_forked(const struct spawn *spawn, const char *path, const char *cwd, char *const *env, pid_t *pid) {
  int verdict[2]; /* closed by a program that runs, before it runs */
  if (pipe2(verdict, O_CLOEXEC) < 0) return errno;
  *pid = fork();
  if (*pid == 0) {
    int failure = become(spawn, path, cwd, env);
    ssize_t ignored = write(verdict[1], &failure, sizeof failure);
    _exit(ignored < 0 ? 126 : 127);
  }
  int failure = *pid < 0 ? errno : 0;
  close(verdict[1]);
  if (!failure) {
    ssize_t got;
    do got = read(verdict[0], &failure, sizeof failure);
    while (got < 0 && errno == EINTR);
    if (got != sizeof failure) failure = 0;
    if (failure) waitpid(*pid, NULL, 0);
  }
  close(verdict[0]);
  return failure;
}
