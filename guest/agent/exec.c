#include "exec.h"

#include <stdlib.h>

#include "process.h"

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
