#include "inspect.h"

#include <sys/resource.h>

#include "describe.h"
#include "entry.h"
#include "process.h"
#include "tell.h"
#include "walk.h"

#define WALK_EVERYTHING 1

struct inspection {
  uint8_t kind;
  bool everything;     /* KIND_FILES */
  uint64_t most;       /* KIND_READ */
  char path[MAX_PATH]; /* KIND_READ */
};

/* A walk holds descriptors for every folder on its way. */
static void allow_many_descriptors(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/* In the child. */
static int inspect(const void *argument) {
  const struct inspection *inspection = argument;
  int code = 0;
  allow_many_descriptors();
  switch (inspection->kind) {
    case KIND_FILES: code = walk_files(inspection->everything); break;
    case KIND_DESCRIBE: code = describe_paths(); break;
    case KIND_READ: code = read_whole_file(inspection->path, inspection->most); break;
    default: code = list_processes(); break;
  }
  tell_flush();
  return code;
}

void inspect_open(struct stream *stream, struct reader in) {
  struct inspection inspection = {.kind = stream->kind};
  bool fits = true;
  if (stream->kind == KIND_FILES) inspection.everything = get_u8(&in) & WALK_EVERYTHING;
  if (stream->kind == KIND_READ) {
    fits = slice_text(get_bytes(&in), inspection.path, sizeof inspection.path);
    inspection.most = get_u64(&in);
  }
  if (fits && reader_done(&in))
    process_fork(stream, stream->kind == KIND_DESCRIBE, inspect, &inspection);
  else
    stream_reset(stream, E_MALFORMED, "the question is malformed");
}
