#include "contexts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"
#include "random.h"
#include "spawn.h"

/* Where code begins that nobody gave another folder, when the image has it. */
#define USER_HOME "/home/user"

enum context_op { OP_LIST = 1, OP_CREATE = 2, OP_RESTART = 3, OP_DELETE = 4, OP_INTERRUPT = 5 };

static const struct language languages[] = {
    {.name = "python", .script = "python.py", .command = {"python3", "-u"}, .takes_signal = true},
    {.name = "javascript", .script = "javascript.js", .command = {"node", "--no-warnings"}},
    {.name = "java",
     .script = "JavaKernel.java",
     .command = {"java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--add-opens=java.base/java.io=ALL-UNNAMED",
                 "--add-opens=java.base/java.lang=ALL-UNNAMED",
                 "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED"},
     .needs = "javac"},
};
#define LANGUAGES ((int)(sizeof languages / sizeof *languages))

/* The first ones are the default contexts, whose ids are the languages' names. */
static struct runtime contexts[MAX_CONTEXTS];
static int in_use;

struct runtime *context_at(int index) { return &contexts[index]; }
int contexts_in_use(void) { return in_use; }

static bool is_default(const struct runtime *context) { return context < &contexts[LANGUAGES]; }

struct runtime *context_find(const char *id) {
  for (int i = 0; i < in_use && *id; i++)
    if (strcmp(contexts[i].id, id) == 0) return &contexts[i];
  return NULL;
}

static bool has_language(const struct language *language) {
  char script[256];
  return format(script, sizeof script, "%s/%s", config.run_dir, language->script) && access(script, R_OK) == 0 &&
         program_exists(language->command[0]) && (!language->needs || program_exists(language->needs));
}

bool context_available(const struct runtime *context) { return has_language(context->language); }

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static const char *folder_of(const struct runtime *context) {
  if (*context->cwd) return context->cwd;
  const char *home = is_folder(USER_HOME) ? USER_HOME : getenv("HOME");
  return home && is_folder(home) ? home : "/";
}

bool context_start(struct runtime *context, uint16_t *code, char *complaint, size_t size) {
  *code = E_NO_RUNTIME;
  if (!context_available(context)) {
    const struct language *language = context->language;
    bool found = program_exists(language->command[0]);
    format(complaint, size, "%s is not in this guest: install it in the image",
           found && language->needs ? language->needs : language->command[0]);
    return false;
  }
  if (!*context->cwd) format(context->cwd, sizeof context->cwd, "%s", folder_of(context));
  format(complaint, size, "cannot make sockets: %s", strerror(errno));
  *code = E_RUNTIME_DIED;
  return kernel_start(context, complaint, size);
}

void context_release(struct runtime *context) {
  const struct language *language = context->language;
  bool kept = is_default(context);
  *context = (struct runtime){.requests.fd = -1, .forks.fd = -1};
  if (kept) {
    context->language = language;
    format(context->id, sizeof context->id, "%s", language->name);
  }
  while (in_use > LANGUAGES && !*contexts[in_use - 1].id) in_use--;
}

void contexts_init(void) {
  in_use = LANGUAGES;
  for (int i = 0; i < LANGUAGES; i++) {
    contexts[i].language = &languages[i];
    context_release(&contexts[i]);
  }
}

static void put_context(struct writer *payload, const struct runtime *context) {
  put_text(payload, context->id);
  put_text(payload, context->language->name);
  put_text(payload, folder_of(context));
  put_u8(payload, context->state == READY && context->busy ? 3 : (uint8_t)context->state);
}

void context_answer(struct runtime *context, struct stream *stream) {
  if (context->fate == GOES && stream->op != OP_DELETE) {
    stream_reset(stream, E_NOT_FOUND, "the context was deleted meanwhile");
    return;
  }
  uint8_t buffer[MAX_CWD + 256];
  struct writer payload = writer_on(buffer, sizeof buffer);
  if (stream->op == OP_CREATE) put_context(&payload, context);
  stream_result(stream, payload.data, payload.length);
}

/* The default contexts of other languages are told of once they run. */
static bool listed(const struct runtime *context) {
  if (!*context->id || context->fate == GOES) return false;
  if (!is_default(context) || context->state != STOPPED) return true;
  return context == contexts && context_available(context);
}

static void list(struct stream *stream) {
  static uint8_t buffer[MAX_PAYLOAD];
  struct writer payload = writer_on(buffer, sizeof buffer);
  uint16_t count = 0;
  for (int i = 0; i < in_use; i++) count = (uint16_t)(count + listed(&contexts[i]));
  put_u16(&payload, count);
  for (int i = 0; i < in_use; i++)
    if (listed(&contexts[i])) put_context(&payload, &contexts[i]);
  stream_result(stream, payload.data, payload.length);
}

static struct runtime *free_slot(void) {
  for (int i = LANGUAGES; i < in_use; i++)
    if (!*contexts[i].id) return &contexts[i];
  return in_use < MAX_CONTEXTS ? &contexts[in_use++] : NULL;
}

/* An id that no context has; after a fork the children draw different ones. */
static bool draw_id(const struct language *language, char *id, size_t size) {
  for (int tries = 0; tries < 100; tries++) {
    uint8_t drawn[2];
    if (random_draw(drawn, sizeof drawn) < 0) return false;
    format(id, size, "%s-%02x%02x", language->name, drawn[0], drawn[1]);
    if (!context_find(id)) return true;
  }
  return false;
}

static void create(struct stream *stream, const struct language *language, const char *cwd) {
  char id[sizeof contexts->id], complaint[512];
  uint16_t code;
  struct runtime *context = draw_id(language, id, sizeof id) ? free_slot() : NULL;
  if (!context) {
    stream_reset(stream, E_LIMIT, "this guest has as many contexts as it can: delete one");
    return;
  }
  *context = (struct runtime){.language = language, .requests.fd = -1, .forks.fd = -1};
  format(context->id, sizeof context->id, "%s", id);
  format(context->cwd, sizeof context->cwd, "%s", cwd);
  if (context_start(context, &code, complaint, sizeof complaint)) {
    stream->runtime = context;
    return;
  }
  context_release(context);
  stream_reset(stream, code == E_NO_RUNTIME ? E_UNFIT : code, complaint);
}

static void open_create(struct stream *stream, struct reader in) {
  char name[32], cwd[MAX_CWD];
  bool fits = slice_text(get_bytes(&in), name, sizeof name) && !in.bad;
  fits = fits && slice_text(get_bytes(&in), cwd, sizeof cwd);
  if (!fits || !reader_done(&in)) {
    stream_reset(stream, E_MALFORMED, "create needs a language and a folder of less than 1024 bytes");
    return;
  }
  if (*cwd && !is_folder(cwd)) {
    stream_reset(stream, E_NOT_A_FOLDER, "there is no such folder to run code in");
    return;
  }
  for (int i = 0; i < LANGUAGES; i++) {
    if (strcmp(languages[i].name, name) != 0) continue;
    create(stream, &languages[i], cwd);
    return;
  }
  stream_reset(stream, E_UNFIT, "contexts speak python, javascript and java");
}

static void restart(struct stream *stream, struct runtime *context) {
  char complaint[512];
  uint16_t code;
  context->state_lost = context->cancelled = false;
  bool start = context->state == STOPPED && !context->bereaved;
  if (start && !context_start(context, &code, complaint, sizeof complaint)) {
    stream_reset(stream, code == E_NO_RUNTIME ? E_UNFIT : code, complaint);
    return;
  }
  stream->runtime = context;
  if (context->state == STARTING) return;
  context->fate = RESTARTS;
  if (context->state == READY) kernel_kill(context, "it is restarted");
}

static void delete(struct stream *stream, struct runtime *context) {
  if (context->state == STOPPED && !context->bereaved) {
    context_release(context);
    stream_result(stream, "", 0);
    return;
  }
  stream->runtime = context;
  context->fate = GOES;
  if (context->state != STOPPED) kernel_kill(context, "it is deleted");
}

static void interrupt(struct stream *stream, struct runtime *context) {
  if (context->state == READY && context->busy) kill(context->pid, SIGINT);
  stream_result(stream, "", 0);
}

void context_open(struct stream *stream, struct reader in) {
  stream->op = get_u8(&in);
  if (stream->op == OP_CREATE) {
    open_create(stream, in);
    return;
  }
  char id[sizeof contexts->id] = "";
  bool named = stream->op >= OP_RESTART && stream->op <= OP_INTERRUPT;
  bool fits = !named || slice_text(get_bytes(&in), id, sizeof id);
  if (in.bad || (fits && !reader_done(&in)) || (!named && stream->op != OP_LIST)) {
    stream_reset(stream, E_MALFORMED, "a context takes list, create, restart, delete and interrupt");
    return;
  }
  struct runtime *context = context_find(id);
  if (!named)
    list(stream);
  else if (!fits || !context || context->fate == GOES)
    stream_reset(stream, E_NOT_FOUND, "there is no such context");
  else if (stream->op == OP_RESTART)
    restart(stream, context);
  else if (stream->op == OP_DELETE)
    delete(stream, context);
  else
    interrupt(stream, context);
}
