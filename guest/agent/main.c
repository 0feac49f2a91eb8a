/* forkd-agent: PID 1 of a forkd guest, or a server on one descriptor for tests on the host. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot.h"
#include "channel.h"
#include "connect.h"
#include "contexts.h"
#include "descriptors.h"
#include "identity.h"
#include "jobs.h"
#include "loop.h"
#include "process.h"
#include "runtime.h"

static struct watch children = {.fd = -1};

static int watch_children(void) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  signal(SIGPIPE, SIG_IGN);
  if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0) return -1;
  int fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
  return fd < 0 ? -1 : watch_open(&children, fd);
}

/* Reaps everything that died: our own processes and the orphans PID 1 inherits. */
static bool reap(void) {
  struct signalfd_siginfo info;
  if (!children.readable || watch_read(&children, &info, sizeof info) < 0) return false;
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
    if (!process_reaped(pid, status) && !job_reaped(pid, status) && !runtime_reaped(pid, status))
      identity_reaped(pid, status);
  return true;
}

static void serve(void) {
  while (channel_is_open()) {
    bool moved;
    do {
      moved = channel_pump();
      moved |= reap();
      moved |= processes_pump();
      moved |= jobs_pump();
      moved |= connections_pump();
      moved |= runtimes_pump();
      moved |= identity_pump();
    } while (moved && channel_is_open());
    if (channel_is_open()) loop_wait();
  }
}

/* How a test on the host reaches an agent that is not PID 1. */
struct host_options {
  int fd;
  const char *socket;
  int connections; /* served one after the other, then the agent ends */
  const char *upper, *lower; /* what stands for the layers of a guest's overlay */
};

static int usage(void) {
  say("usage: forkd-agent (--fd N | --socket PATH [--connections N]) [--run DIR] [--pretend-identity DIR] "
      "[--upper DIR --lower DIR]; "
      "without arguments it must be PID 1");
  return 2;
}

static int parse(int argc, char **argv, struct host_options *options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const char *name = argv[i];
    char *value = argv[i + 1];
    if (strcmp(name, "--fd") == 0)
      options->fd = atoi(value);
    else if (strcmp(name, "--socket") == 0)
      options->socket = value;
    else if (strcmp(name, "--connections") == 0)
      options->connections = atoi(value);
    else if (strcmp(name, "--run") == 0)
      config.run_dir = value;
    else if (strcmp(name, "--pretend-identity") == 0)
      config.identity_root = value;
    else if (strcmp(name, "--upper") == 0)
      options->upper = value;
    else if (strcmp(name, "--lower") == 0)
      options->lower = value;
    else
      return -1;
  }
  return argc % 2 == 1 && (options->fd >= 0 || options->socket) ? 0 : -1;
}

/* The socket gets its name only when it can be connected to. */
static int listen_on(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || !format(address.sun_path, sizeof address.sun_path, "%s~", path)) return -1;
  if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 4) < 0) return -1;
  return rename(address.sun_path, path) < 0 ? -1 : fd;
}

/* Programs get descriptors 0 to 4 of their own, so neither channel nor listener may be one of them. */
static int out_of_the_way(int fd) { return fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 10); }

static int serve_host(int argc, char **argv) {
  struct host_options options = {.fd = -1, .connections = 1};
  config = (struct config){.run_dir = "/run/forkd", .upper = -1, .lower = -1};
  if (parse(argc, argv, &options) < 0) return usage();
  descriptors_init();
  contexts_init();
  if (options.upper && options.lower && keep_layers(options.upper, options.lower) < 0) return usage();
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  int listener = options.socket ? out_of_the_way(listen_on(options.socket)) : -1;
  bool ready = null >= 0 && dup2(null, STDIN_FILENO) == 0 && loop_init() == 0 && watch_children() == 0;
  for (int i = 0; ready && i < options.connections; i++) {
    int fd = listener >= 0 ? accept(listener, NULL, NULL) : options.fd;
    ready = channel_open(out_of_the_way(fd)) == 0;
    close(fd);
    serve();
  }
  if (!ready) say("cannot serve: %s", strerror(errno));
  processes_kill_all();
  jobs_kill_all();
  runtimes_kill_all();
  return ready ? 0 : 1;
}

int main(int argc, char **argv) {
  if (getpid() != 1) return serve_host(argc, argv);
  config = (struct config){.init = true, .identity_root = "", .run_dir = "/run/forkd", .upper = -1, .lower = -1};
  boot();
  descriptors_init();
  contexts_init();
  if (loop_init() < 0 || watch_children() < 0) say("cannot watch for events: %s", strerror(errno));
  for (;;) {
    if (channel_open(boot_open_port()) < 0) say("cannot watch the port: %s", strerror(errno));
    say("ready after %lld ms", (long long)now_ms());
    serve();
    usleep(100000);
  }
}
