#include "control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "identity.h"
#include "runtime.h"
#include "streams.h"

static void hello(struct reader in) {
  uint16_t version = get_u16(&in);
  uint64_t nonce = get_u64(&in);
  if (!reader_done(&in) || version == 0) {
    channel_violated("HELLO is malformed");
    return;
  }
  streams_drop_all();
  identity_abort();
  channel_restart_output();
  struct utsname name;
  uname(&name);
  uint8_t buffer[2048];
  struct writer payload = writer_on(buffer, sizeof buffer);
  put_u64(&payload, nonce);
  put_u16(&payload, PROTOCOL_VERSION);
  put_text(&payload, AGENT_VERSION);
  put_text(&payload, name.machine);
  put_text(&payload, name.release);
  runtimes_describe(&payload);
  channel_send_writer(HELLO_ACK, 0, &payload);
}

static void ping(uint64_t token) {
  struct timespec up;
  clock_gettime(CLOCK_BOOTTIME, &up);
  uint8_t buffer[20];
  struct writer payload = writer_on(buffer, sizeof buffer);
  put_u64(&payload, token);
  put_u32(&payload, (uint32_t)getpid());
  put_u64(&payload, (uint64_t)up.tv_sec * 1000000000u + (uint64_t)up.tv_nsec);
  channel_send_writer(PONG, 0, &payload);
}

static void quiesce(uint64_t token) {
  sync();
  uint8_t buffer[8];
  struct writer payload = writer_on(buffer, sizeof buffer);
  put_u64(&payload, token);
  channel_send_writer(QUIESCED, 0, &payload);
}

/* Variables for everything started from now on; one without a name or value changes nothing. */
static void set_environment(uint64_t token, struct reader in) {
  for (uint16_t left = get_u16(&in); left > 0; left--) {
    char entry[4096];
    if (!slice_text(get_bytes(&in), entry, sizeof entry)) {
      control_failed(token, E_LIMIT, "environment", "an entry is too long or holds a NUL");
      return;
    }
    char *equals = strchr(entry, '=');
    if (equals) *equals = 0;
    if (!equals || setenv(entry, equals + 1, 1) < 0) {
      control_failed(token, E_STEP_FAILED, "environment", "an entry is not NAME=value");
      return;
    }
  }
  uint8_t buffer[8];
  struct writer payload = writer_on(buffer, sizeof buffer);
  put_u64(&payload, token);
  channel_send_writer(ENV_SET, 0, &payload);
}

static void set_clock(uint64_t token, int64_t wall) {
  int64_t step = 0;
  if (identity_set_clock(wall, &step) < 0) {
    control_failed(token, E_STEP_FAILED, "clock", strerror(errno));
    return;
  }
  uint8_t buffer[24];
  struct writer payload = writer_on(buffer, sizeof buffer);
  put_u64(&payload, token);
  put_u64(&payload, (uint64_t)wall_ns());
  put_u64(&payload, (uint64_t)step);
  channel_send_writer(CLOCK_SET, 0, &payload);
}

void control_failed(uint64_t token, uint16_t code, const char *step, const char *message) {
  uint8_t buffer[1024];
  struct writer payload = writer_on(buffer, sizeof buffer);
  put_u64(&payload, token);
  put_u16(&payload, code);
  put_text(&payload, step);
  size_t length = strlen(message), left = sizeof buffer - payload.length - 4;
  put_bytes(&payload, message, length < left ? length : left);
  channel_send_writer(FAILED, 0, &payload);
}

void control_frame(const struct frame *frame) {
  struct reader in = reader_of(frame->payload, frame->length);
  if (frame->type == HELLO) {
    hello(in);
    return;
  }
  uint64_t token = get_u64(&in);
  int64_t wall = 0;
  if (frame->type == SET_CLOCK) wall = (int64_t)get_u64(&in);
  bool whole = frame->type == IDENTIFY || frame->type == SET_ENV ? !in.bad : reader_done(&in);
  switch (frame->type) {
    case PING:
    case QUIESCE:
    case SET_CLOCK:
    case SET_ENV:
    case IDENTIFY:
      if (!whole) {
        channel_violated("a control message is malformed");
        return;
      }
      break;
    default: control_failed(in.bad ? 0 : token, E_UNSUPPORTED, "control", "unknown message type"); return;
  }
  if (frame->type == PING) ping(token);
  if (frame->type == QUIESCE) quiesce(token);
  if (frame->type == SET_CLOCK) set_clock(token, wall);
  if (frame->type == SET_ENV) set_environment(token, in);
  if (frame->type == IDENTIFY) identity_begin(token, in);
}
