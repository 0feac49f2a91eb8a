/* Runtime kernels: warmed interpreters that answer one request at a time and keep their state. */
#pragma once

#include "streams.h"

/* The name and state of every runtime this guest can run, for HELLO_ACK. */
void runtimes_describe(struct writer *payload);
void runtime_open_start(struct stream *stream, struct reader in);
void runtime_open_eval(struct stream *stream, struct reader in);
/* The host's stream is gone; with `cancel` its request is interrupted as well. */
void runtime_detach(struct runtime *runtime, struct stream *stream, bool cancel);
void runtime_cancel(struct runtime *runtime, struct stream *stream);
bool runtime_reaped(pid_t pid, int status);
bool runtimes_pump(void);
void runtimes_kill_all(void);

/* What a runtime answered to a reseed: its hooks, or why it failed. */
struct reseed {
  enum { RESEED_NONE, RESEED_WAITING, RESEED_DONE, RESEED_FAILED } state;
  char text[4096]; /* hook names, one per line; or the error */
};

int runtimes_count(void);
const char *runtime_name(int index);
/* Asks a running kernel to reseed; a stopped one needs none. */
void runtime_reseed(int index, const uint8_t *seed, size_t length, const char *sandbox_id);
const struct reseed *runtime_reseed_state(int index);
