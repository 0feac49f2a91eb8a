/* Telling a warmed kernel that it is now another sandbox, and hearing that it reseeded. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "kernel.h"

/* Why a kernel in the middle of a request can answer: FORK_SIGNAL interrupts it between two of its own
   instructions, or a thread of its own waits for this, and the reseed travels on a socket of its own, apart
   from requests and answers. */

const struct reseed *runtime_reseed_state(int index) { return &context_at(index)->reseed; }

void runtime_reseed(int index, const uint8_t *seed, size_t length, const char *sandbox_id) {
  struct runtime *runtime = context_at(index);
  runtime->reseed = (struct reseed){.state = RESEED_NONE};
  if (runtime->state == STOPPED || runtime->fate != STAYS) return;
  bool halfway = runtime->fork_request_left > 0 && runtime->fork_request_left < runtime->fork_request_length;
  if (halfway) {
    runtime->reseed.state = RESEED_FAILED;
    format(runtime->reseed.text, sizeof runtime->reseed.text, "an earlier reseed is still under way");
    return;
  }
  char hex[2 * 64 + 1];
  for (size_t i = 0; i < length && i < 64; i++) snprintf(hex + 2 * i, 3, "%02x", seed[i]);
  char body[sizeof runtime->fork_request - 4];
  runtime->fork_number++;
  bool fits = format(body, sizeof body, "{\"op\":\"fork\",\"number\":%u,\"seed\":\"%s\",\"sandbox_id\":\"%s\"}",
                     runtime->fork_number, hex, sandbox_id);
  size_t size = strlen(body);
  struct writer request = writer_on(runtime->fork_request, sizeof runtime->fork_request);
  put_bytes(&request, body, size);
  if (!fits || request.bad) {
    runtime->reseed.state = RESEED_FAILED;
    format(runtime->reseed.text, sizeof runtime->reseed.text, "the reseed does not fit its buffer");
    return;
  }
  runtime->fork_request_length = runtime->fork_request_left = request.length;
  /* A slow starter has run nobody's code yet and hears of it before it does: the handshake need not wait. */
  bool slow = runtime->state == STARTING && !runtime->language->takes_signal;
  runtime->reseed.state = slow ? RESEED_NONE : RESEED_WAITING;
}

void reseed_died(struct runtime *runtime) {
  runtime->fork_request_left = 0;
  if (runtime->reseed.state != RESEED_WAITING) return;
  runtime->reseed.state = RESEED_FAILED;
  format(runtime->reseed.text, sizeof runtime->reseed.text, "the runtime died while it reseeded");
}

static bool send_request(struct runtime *runtime) {
  if (runtime->state != READY || runtime->fork_request_left == 0 || !runtime->forks.writable) return false;
  size_t done = runtime->fork_request_length - runtime->fork_request_left;
  ssize_t put = watch_write(&runtime->forks, runtime->fork_request + done, runtime->fork_request_left);
  if (put <= 0) return false;
  runtime->fork_request_left -= (size_t)put;
  if (runtime->fork_request_left == 0 && runtime->language->takes_signal) kill(runtime->pid, FORK_SIGNAL);
  return true;
}

/* An answer: its length, the number of the reseed it answers, 0 or 1 for failed, and text. */
static void take_answer(struct runtime *runtime, struct reader in) {
  uint32_t number = get_u32(&in);
  bool failed = get_u8(&in) != 0;
  struct slice text = get_rest(&in);
  if (in.bad || number != runtime->fork_number || runtime->reseed.state != RESEED_WAITING) return;
  bool whole = slice_text(text, runtime->reseed.text, sizeof runtime->reseed.text);
  runtime->reseed.state = failed || !whole ? RESEED_FAILED : RESEED_DONE;
}

static bool next_answer(struct runtime *runtime) {
  struct reader in = reader_of(runtime->fork_answer, runtime->fork_answer_length);
  struct slice answer = get_bytes(&in);
  if (in.bad) return false;
  take_answer(runtime, reader_of(answer.data, answer.length));
  runtime->fork_answer_length = in.left;
  memmove(runtime->fork_answer, in.at, in.left);
  return true;
}

bool reseed_pump(struct runtime *runtime) {
  if (runtime->forks.fd < 0) return false;
  bool moved = send_request(runtime);
  if (!runtime->forks.readable) return moved;
  size_t space = sizeof runtime->fork_answer - runtime->fork_answer_length;
  ssize_t got = watch_read(&runtime->forks, runtime->fork_answer + runtime->fork_answer_length, space);
  if (got == -1) return moved;
  if (got <= 0) {
    watch_close(&runtime->forks);
    reseed_died(runtime);
    return true;
  }
  runtime->fork_answer_length += (size_t)got;
  while (next_answer(runtime)) continue;
  if (runtime->fork_answer_length == sizeof runtime->fork_answer)
    kernel_kill(runtime, "its reseed answer is too long");
  return true;
}
