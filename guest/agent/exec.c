#include "exec.h"

#include <stdlib.h>

#include "process.h"

#define MAX_ARGS 4096

static void free_texts(char **texts) {
  for (char **text = texts; texts && *text; text++) free(*text);
  free(texts);
}

/* A list of strings as a NULL-terminated array; NULL when it is malformed or too long. */
static char **get_texts(struct reader *in) {
  uint16_t count = get_u16(in);
  if (in->bad || count > MAX_ARGS) return NULL;
  char **texts = calloc((size_t)count + 1, sizeof *texts);
  for (uint16_t i = 0; texts && i < count; i++) {
    struct slice slice = get_bytes(in);
    texts[i] = in->bad ? NULL : slice_dup(slice);
    if (!texts[i]) {
      free_texts(texts);
      return NULL;
    }
  }
  return texts;
}

void exec_open(struct stream *stream, struct reader in) {
  bool with_stdin = get_u8(&in) & 1;
  char **argv = get_texts(&in);
  char **env = argv ? get_texts(&in) : NULL;
  char *cwd = env ? slice_dup(get_bytes(&in)) : NULL;
  if (cwd && argv[0] && reader_done(&in))
    process_launch(stream, argv, env, cwd, with_stdin);
  else
    stream_reset(stream, E_MALFORMED, "exec needs arguments, environment and folder");
  free_texts(argv);
  free_texts(env);
  free(cwd);
}
