#include "identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "channel.h"
#include "control.h"
#include "hooks.h"
#include "loop.h"
#include "names.h"
#include "random.h"
#include "runtime.h"

#define RUNTIMES_MS 20000

static struct {
  enum { IDLE, RUNTIMES, HOOKS } phase;
  uint64_t token;
  int64_t give_up_at;
  int64_t step;
  uint32_t entropy_bytes;
  char sandbox_id[65], hostname[64], machine_id[33];
  char boot_id[37], kernel_uuid[37];
  char hooks[16384]; /* one name per line */
} fork_;

static void fail(const char *step, const char *message) {
  say("identify failed at %s: %s", step, message);
  fork_.phase = IDLE;
  control_failed(fork_.token, E_STEP_FAILED, step, message);
}

int identity_set_clock(int64_t wall, int64_t *step) {
  if (!config.identity_root || wall < 0) {
    errno = EPERM;
    return -1;
  }
  *step = wall - wall_ns();
  if (!config.init) return 0;
  struct timespec time = {.tv_sec = (time_t)(wall / 1000000000), .tv_nsec = (long)(wall % 1000000000)};
  return clock_settime(CLOCK_REALTIME, &time);
}

static bool add_hooks(const char *owner, const char *names) {
  while (*names) {
    int length = (int)strcspn(names, "\n");
    size_t used = strlen(fork_.hooks);
    if (!format(fork_.hooks + used, sizeof fork_.hooks - used, "%s:%.*s\n", owner, length, names)) return false;
    names += length;
    if (*names) names++;
  }
  return true;
}

static bool plain(const char *text) {
  size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
  return length > 0 && text[length] == 0;
}

static bool parse(struct reader *in, int64_t *wall, struct slice *entropy) {
  *wall = (int64_t)get_u64(in);
  *entropy = get_bytes(in);
  bool fits = slice_text(get_bytes(in), fork_.sandbox_id, sizeof fork_.sandbox_id) && !in->bad;
  fits = fits && slice_text(get_bytes(in), fork_.hostname, sizeof fork_.hostname) && !in->bad;
  fits = fits && slice_text(get_bytes(in), fork_.machine_id, sizeof fork_.machine_id);
  return fits && reader_done(in) && entropy->length >= 32 && entropy->length <= 64 &&
         plain(fork_.sandbox_id) && plain(fork_.hostname) && strlen(fork_.machine_id) == 32 &&
         plain(fork_.machine_id);
}

/* Every runtime gets a seed of its own, fresh even if one of its two sources should not be. */
static bool reseed_runtimes(struct slice entropy) {
  for (int i = 0; i < runtimes_count(); i++) {
    uint8_t seed[64];
    if (random_draw(seed, sizeof seed) < 0) return false;
    for (size_t j = 0; j < sizeof seed; j++) seed[j] ^= entropy.data[j % entropy.length];
    runtime_reseed(i, seed, sizeof seed, fork_.sandbox_id);
  }
  return true;
}

static const char *apply(int64_t wall, struct slice entropy) {
  if (identity_set_clock(wall, &fork_.step) < 0) return "clock";
  if (random_reseed(entropy.data, entropy.length) < 0) return "entropy";
  fork_.entropy_bytes = (uint32_t)entropy.length;
  if (random_uuid(fork_.boot_id) < 0 || random_uuid(fork_.kernel_uuid) < 0) return "kernel uuid";
  if (names_set_hostname(fork_.hostname) < 0) return "hostname";
  if (names_set_machine_id(fork_.machine_id) < 0) return "machine id";
  if (names_set_boot_id(fork_.boot_id) < 0) return "boot id";
  if (names_set_sandbox_id(fork_.sandbox_id) < 0) return "sandbox id";
  return reseed_runtimes(entropy) ? NULL : "runtime seeds";
}

void identity_begin(uint64_t token, struct reader in) {
  if (!config.identity_root || fork_.phase != IDLE) {
    const char *why = fork_.phase != IDLE ? "another identify is under way" : "refused outside a guest";
    control_failed(token, E_BUSY, "identify", why);
    return;
  }
  memset(&fork_, 0, sizeof fork_);
  fork_.token = token;
  int64_t wall;
  struct slice entropy;
  if (!parse(&in, &wall, &entropy)) {
    fail("message", "a field is missing, too long or has characters that do not belong in a name");
    return;
  }
  const char *failed = apply(wall, entropy);
  if (failed) {
    fail(failed, strerror(errno));
    return;
  }
  fork_.phase = RUNTIMES;
  fork_.give_up_at = now_ms() + RUNTIMES_MS;
}

void identity_abort(void) {
  if (fork_.phase == HOOKS) hooks_abort();
  fork_.phase = IDLE;
}

static void put_hooks(struct writer *payload) {
  uint16_t count = 0;
  for (const char *at = fork_.hooks; *at; at++) count = (uint16_t)(count + (*at == '\n'));
  put_u16(payload, count);
  for (const char *at = fork_.hooks; *at;) {
    size_t length = strcspn(at, "\n");
    put_bytes(payload, at, length);
    at += length + 1;
  }
}

static void answer(void) {
  static uint8_t buffer[MAX_PAYLOAD];
  struct writer payload = writer_on(buffer, sizeof buffer);
  put_u64(&payload, fork_.token);
  put_u64(&payload, (uint64_t)wall_ns());
  put_u64(&payload, (uint64_t)fork_.step);
  put_u32(&payload, fork_.entropy_bytes);
  put_u8(&payload, 1);
  put_text(&payload, fork_.sandbox_id);
  put_text(&payload, fork_.hostname);
  put_text(&payload, fork_.machine_id);
  put_text(&payload, fork_.boot_id);
  put_text(&payload, fork_.kernel_uuid);
  put_hooks(&payload);
  fork_.phase = IDLE;
  channel_send_writer(IDENTIFIED, 0, &payload);
}

/* True when no runtime keeps us waiting any more. */
static bool runtimes_done(void) {
  for (int i = 0; i < runtimes_count(); i++) {
    const struct reseed *reseed = runtime_reseed_state(i);
    if (reseed->state == RESEED_FAILED) {
      fail(runtime_name(i), reseed->text);
      return false;
    }
    if (reseed->state == RESEED_WAITING) {
      loop_wake_at(fork_.give_up_at);
      if (now_ms() >= fork_.give_up_at) fail(runtime_name(i), "the runtime did not answer in time");
      return false;
    }
  }
  for (int i = 0; i < runtimes_count(); i++) {
    const struct reseed *reseed = runtime_reseed_state(i);
    if (reseed->state == RESEED_DONE && !add_hooks(runtime_name(i), reseed->text)) {
      fail(runtime_name(i), "too many hooks");
      return false;
    }
  }
  return true;
}

static bool pump_hooks(void) {
  char step[300], message[300];
  switch (hooks_pump(step, sizeof step, message, sizeof message)) {
    case HOOKS_RUNNING: return false;
    case HOOKS_FAILED: fail(step, message); return true;
    case HOOKS_RAN_ONE:
      if (!add_hooks("post-fork.d", step)) fail(step, "too many hooks");
      return true;
    case HOOKS_DONE: break;
  }
  answer();
  return true;
}

bool identity_pump(void) {
  if (fork_.phase == IDLE || !channel_has_room(MAX_PAYLOAD)) return false;
  if (fork_.phase == HOOKS) return pump_hooks();
  if (!runtimes_done()) return false;
  hooks_begin();
  fork_.phase = HOOKS;
  return true;
}

bool identity_reaped(pid_t pid, int status) { return hooks_reaped(pid, status); }
