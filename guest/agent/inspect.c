#include "inspect.h"

#include "describe.h"
#include "descriptors.h"
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

/* In the child. */
static int inspect(const void *argument) {
  const struct inspection *inspection = argument;
  int code = 0;
  descriptors_allow_most();
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
