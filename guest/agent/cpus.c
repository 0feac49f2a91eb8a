#include "cpus.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "process.h"
#include "tell.h"

#define MAX_CPUS 1024
#define FOLDER "/sys/devices/system/cpu"

/* A CPU that the kernel cannot do without has no such file: the first, on most machines. */
static int switch_cpu(int number, bool online) {
  char path[512], state[8];
  if (!format(path, sizeof path, "%s" FOLDER "/cpu%d/online", guest_root(), number)) return E_STEP_FAILED;
  if (read_text(path, state, sizeof state) < 0 || (state[0] == '1') == online) return 0;
  if (write_text(path, online ? "1" : "0", 1, 0) == 0) return 0;
  return complain(E_STEP_FAILED, "cannot bring CPU %d %s: %s", number, online ? "online" : "offline", strerror(errno));
}

static int count_cpus(void) {
  int count = 0;
  char path[512];
  while (count < MAX_CPUS && format(path, sizeof path, "%s" FOLDER "/cpu%d", guest_root(), count) &&
         access(path, F_OK) == 0)
    count++;
  return count;
}

/* In the child. */
static int keep_online(const void *argument) {
  uint16_t wanted = *(const uint16_t *)argument;
  int code = 0, cpus = count_cpus();
  for (int i = 1; i < cpus && i < wanted && code == 0; i++) code = switch_cpu(i, true);
  for (int i = cpus - 1; i >= wanted && code == 0; i--) code = switch_cpu(i, false);
  return code;
}

void cpus_open(struct stream *stream, struct reader in) {
  uint16_t wanted = get_u16(&in);
  if (!reader_done(&in) || wanted == 0)
    stream_reset(stream, E_MALFORMED, "a number of CPUs is needed");
  else if (!config.identity_root)
    stream_reset(stream, E_REFUSED, "refused outside a guest");
  else
    process_fork(stream, false, keep_online, &wanted);
}
