#include "metrics.h"

#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

/* Time since boot in ticks of all CPUs together, and how many of them are online. */
struct cpu_time {
  uint64_t busy, total;
  uint16_t online;
};

static char text[32768];

static struct cpu_time read_cpu_time(void) {
  struct cpu_time time = {0};
  if (read_text("/proc/stat", text, sizeof text) < 0) return time;
  unsigned long long user, nice, system, idle, waiting, irq, soft, stolen;
  if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &waiting, &irq, &soft,
             &stolen) != 8)
    return time;
  time.busy = user + nice + system + irq + soft;
  time.total = time.busy + idle + waiting + stolen;
  for (const char *line = strchr(text, '\n'); line && strncmp(line, "\ncpu", 4) == 0; line = strchr(line + 1, '\n'))
    time.online++;
  return time;
}

/* Bytes of a line of /proc/meminfo; 0 when there is none. */
static uint64_t memory(const char *name) {
  const char *line = strstr(text, name);
  unsigned long long kib = 0;
  if (!line || sscanf(line + strlen(name), " %llu", &kib) != 1) return 0;
  return (uint64_t)kib * 1024;
}

static uint64_t less(uint64_t from, uint64_t amount) { return amount < from ? from - amount : 0; }

void metrics_open(struct stream *stream, struct reader in) {
  if (!reader_done(&in)) {
    stream_reset(stream, E_MALFORMED, "metrics take no arguments");
    return;
  }
  struct cpu_time time = read_cpu_time();
  struct statvfs disk = {0};
  if (statvfs("/", &disk) < 0) disk = (struct statvfs){0};
  if (read_text("/proc/meminfo", text, sizeof text) < 0) text[0] = 0;
  uint64_t total = memory("MemTotal:");
  uint8_t buffer[64];
  struct writer result = writer_on(buffer, sizeof buffer);
  put_u16(&result, time.online);
  put_u64(&result, time.busy);
  put_u64(&result, time.total);
  put_u64(&result, total);
  put_u64(&result, less(total, memory("MemAvailable:")));
  /* Files of a tmpfs count as cached too, but cannot be dropped. */
  put_u64(&result, less(memory("\nCached:") + memory("Buffers:"), memory("Shmem:")));
  put_u64(&result, (uint64_t)disk.f_blocks * disk.f_frsize);
  put_u64(&result, (uint64_t)(disk.f_blocks - disk.f_bfree) * disk.f_frsize);
  stream_result(stream, result.data, result.length);
}
