/* The vocabulary every part of forkd-agent shares: limits, message numbers and small helpers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define AGENT_VERSION "0.1.0"
#define PROTOCOL_VERSION 1

#define MAX_PAYLOAD 65536u
#define FRAME_HEADER 10u
#define MAX_FRAME (FRAME_HEADER + MAX_PAYLOAD)
#define INITIAL_WINDOW (256u * 1024u)
#define CHUNK 32768u
#define MAX_STREAMS 1024
/* Of these; the others are kept for all other kinds. */
#define MAX_CONNECTIONS 768
#define COMPLAINT_SIZE 512
#define MAX_EVAL_BODY (16u * 1024u * 1024u)

enum frame_type {
  HELLO = 0x01,
  HELLO_ACK = 0x02,
  PING = 0x03,
  PONG = 0x04,
  QUIESCE = 0x05,
  QUIESCED = 0x06,
  IDENTIFY = 0x07,
  IDENTIFIED = 0x08,
  SET_CLOCK = 0x09,
  CLOCK_SET = 0x0a,
  SET_ENV = 0x0b,
  ENV_SET = 0x0c,
  FAILED = 0x0e,
  GOODBYE = 0x0f,
  OPEN = 0x10,
  DATA = 0x11,
  END = 0x12, /* EOF in the protocol's words; that name belongs to stdio */
  WINDOW = 0x13,
  RESULT = 0x14,
  RESET = 0x15,
  CANCEL = 0x16,
  OPENED = 0x17,
};

enum stream_kind {
  KIND_EXEC = 1,
  KIND_EVAL = 2,
  KIND_START = 3,
  KIND_FILES = 4,
  KIND_DESCRIBE = 5,
  KIND_READ = 6,
  KIND_PROCESSES = 7,
  KIND_CONNECT = 8,
  KIND_CPUS = 9,
  KIND_PROCESS = 10,
  KIND_ATTACH = 11,
  KIND_PROCESS_CONTROL = 12,
  KIND_FILE = 13,
  KIND_METRICS = 14,
  KIND_CONTEXT = 15,
};

enum data_channel { CHANNEL_IN = 0, CHANNEL_OUT = 1, CHANNEL_ERR = 2 };

enum error_code {
  E_MALFORMED = 1,
  E_UNSUPPORTED = 2,
  E_LIMIT = 3,
  E_FLOW = 4,
  E_CANCELLED = 5,
  E_NO_RUNTIME = 6,
  E_RUNTIME_DIED = 7,
  E_STATE_LOST = 8,
  E_STEP_FAILED = 9,
  E_BUSY = 10,
  E_REFUSED = 11,
  E_NOBODY_LISTENS = 12,
  E_BROKEN = 13,
  E_NOT_FOUND = 14,
  E_EXISTS = 15,
  E_NOT_A_FOLDER = 16,
  E_IS_A_FOLDER = 17,
  E_NO_SPACE = 18,
  E_DENIED = 19,
  E_NO_SUCH_USER = 20,
  E_UNFIT = 21,
};

/* What differs between PID 1 of a guest and a test on the host. */
struct config {
  bool init;                /* this is PID 1 of a guest */
  const char *identity_root; /* "" in a guest; a scratch folder in tests; NULL: IDENTIFY is refused */
  const char *run_dir;      /* where runtime kernels and the sandbox id are */
  int upper, lower;         /* the layers of the root's overlay; both -1 without one */
};
extern struct config config;

/* What stands for the guest's root folder in front of a guest's path. */
const char *guest_root(void);
/* Keeps an overlay's layers reachable, which no path leads to once it is the root. */
int keep_layers(const char *upper, const char *lower);

int64_t now_ms(void);
int64_t wall_ns(void);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
int set_nonblocking(int fd);
int make_dirs(const char *path, mode_t mode);
/* Reads at most size - 1 bytes and terminates them; -1 with errno on failure. */
ssize_t read_text(const char *path, char *buffer, size_t size);
int write_text(const char *path, const char *text, size_t length, mode_t mode);
/* Room-checked formatting: false when the text did not fit. */
bool format(char *buffer, size_t size, const char *pattern, ...) __attribute__((format(printf, 3, 4)));
