#include "loop.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

static int epoll_fd = -1;
static int64_t wake_at = INT64_MAX;

int loop_init(void) {
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  return epoll_fd < 0 ? -1 : 0;
}

int watch_open(struct watch *watch, int fd) {
  *watch = (struct watch){.fd = fd, .readable = true, .writable = true};
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = watch};
  if (set_nonblocking(fd) == 0 && epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0) return 0;
  int failure = errno;
  watch->fd = -1;
  close(fd);
  errno = failure;
  return -1;
}

/* Removal is explicit: a duplicate of the descriptor may live on in a child and keep reporting. */
void watch_close(struct watch *watch) {
  if (watch->fd < 0) return;
  epoll_ctl(epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
  close(watch->fd);
  *watch = (struct watch){.fd = -1};
}

ssize_t watch_read(struct watch *watch, void *buffer, size_t size) {
  ssize_t got = read(watch->fd, buffer, size);
  if (got >= 0) return got;
  if (errno == EINTR) return -1;
  watch->readable = false;
  return errno == EAGAIN ? -1 : -2;
}

ssize_t watch_write(struct watch *watch, const void *data, size_t size) {
  ssize_t put = write(watch->fd, data, size);
  if (put >= 0) return put;
  if (errno == EINTR) return -1;
  watch->writable = false;
  return errno == EAGAIN ? -1 : -2;
}

void loop_wake_at(int64_t time_ms) {
  if (time_ms < wake_at) wake_at = time_ms;
}

void loop_wait(void) {
  int timeout = -1;
  if (wake_at != INT64_MAX) {
    int64_t left = wake_at - now_ms();
    timeout = left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
  }
  wake_at = INT64_MAX;
  struct epoll_event events[32];
  int count = epoll_wait(epoll_fd, events, 32, timeout);
  for (int i = 0; i < count; i++) {
    struct watch *watch = events[i].data.ptr;
    if (events[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) watch->readable = true;
    if (events[i].events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) watch->writable = true;
  }
}
