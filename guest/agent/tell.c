#include "tell.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint8_t buffer[CHUNK];
static size_t used;

void tell_flush(void) {
  for (size_t at = 0; at < used;) {
    ssize_t put = write(STDOUT_FILENO, buffer + at, used - at);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) _exit(E_STEP_FAILED); /* nobody listens any more */
    at += (size_t)put;
  }
  used = 0;
}

void tell(const void *data, size_t length) {
  const uint8_t *at = data;
  while (length > 0) {
    if (used == sizeof buffer) tell_flush();
    size_t taken = length < sizeof buffer - used ? length : sizeof buffer - used;
    memcpy(buffer + used, at, taken);
    used += taken;
    at += taken;
    length -= taken;
  }
}

void tell_record(const struct writer *record) {
  uint8_t prefix[4];
  struct writer length = writer_on(prefix, sizeof prefix);
  put_u32(&length, (uint32_t)record->length);
  tell(prefix, sizeof prefix);
  tell(record->data, record->length);
}

int complain(int code, const char *pattern, ...) {
  char text[COMPLAINT_SIZE];
  va_list args;
  va_start(args, pattern);
  vsnprintf(text, sizeof text, pattern, args);
  va_end(args);
  ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
  (void)ignored;
  return code;
}
