/* Readiness of file descriptors, edge-triggered: events only set flags, all work is done by pumps. */
#pragma once

#include "agent.h"

struct watch {
  int fd; /* -1 when closed */
  bool readable;
  bool writable;
};

int loop_init(void);
/* Makes the descriptor non-blocking, owns it from now on and assumes it ready until told otherwise. */
int watch_open(struct watch *watch, int fd);
void watch_close(struct watch *watch);
/* Non-blocking read: >0 bytes, 0 end of file, -1 nothing now (flag cleared) and -2 broken. */
ssize_t watch_read(struct watch *watch, void *buffer, size_t size);
ssize_t watch_write(struct watch *watch, const void *data, size_t size);
/* Asks for a pass of the pumps at this time at the latest (now_ms clock). */
void loop_wake_at(int64_t time_ms);
/* Waits for events or the nearest wake-up. */
void loop_wait(void);
