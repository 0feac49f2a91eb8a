#include "fileop.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptors.h"
#include "files.h"
#include "process.h"
#include "tell.h"

enum file_op {
  OP_STAT = 1,
  OP_LIST = 2,
  OP_MAKE_FOLDER = 3,
  OP_MOVE = 4,
  OP_REMOVE = 5,
  OP_CHANGE = 6,
  OP_READ = 7,
  OP_WRITE = 8,
  OP_WATCH = 9,
  OP_TAR_OUT = 10,
  OP_TAR_IN = 11,
};

/* As it came, before the user's home is known. */
struct asked {
  uint8_t op;
  char user[256];
  char path[MAX_PATH];
  char target[MAX_PATH];
  struct reader rest; /* into the frame, which the child has a copy of */
};

/* Takes "." and ".." and doubled slashes out of a path, by its text alone. */
static void clean(char *path) {
  char *out = path;
  for (const char *at = path; *at;) {
    while (*at == '/') at++;
    size_t length = strcspn(at, "/");
    if (length == 2 && at[0] == '.' && at[1] == '.') {
      while (out > path && *--out != '/') continue;
    } else if (length > 0 && !(length == 1 && *at == '.')) {
      *out++ = '/';
      memmove(out, at, length);
      out += length;
    }
    at += length;
  }
  if (out == path) *out++ = '/';
  *out = 0;
}

static bool resolve(const char *home, const char *path, char *absolute) {
  bool from_home = path[0] == '~' && (path[1] == '/' || path[1] == 0);
  bool fits = path[0] == '/' ? format(absolute, MAX_PATH, "%s", path)
                             : format(absolute, MAX_PATH, "%s/%s", home, from_home ? path + 1 : path);
  if (fits) clean(absolute);
  return fits;
}

static int dispatch(uint8_t op, const struct request *request) {
  struct reader in = request->rest;
  switch (op) {
    case OP_STAT: return file_stat(request);
    case OP_LIST: return file_list(request, get_u32(&in));
    case OP_MAKE_FOLDER: return file_make_folder(request);
    case OP_MOVE: return file_move(request);
    case OP_REMOVE: return file_remove(request);
    case OP_CHANGE: return file_change(request);
    case OP_READ: {
      uint64_t offset = get_u64(&in);
      return file_read(request, offset, get_u64(&in));
    }
    case OP_WRITE: return file_write(request);
    case OP_WATCH: return file_watch(request, get_u8(&in) & 1);
    case OP_TAR_OUT: return file_tar_out(request);
    default: return file_tar_in(request);
  }
}

/* In the child. */
static int work(const void *argument) {
  const struct asked *asked = argument;
  static struct request request;
  descriptors_allow_most();
  umask(0);
  request.owned = asked->user[0] != 0;
  if (!account_find(asked->user, &request.owner))
    return complain(E_NO_SUCH_USER, "there is no user '%s' in this guest", asked->user);
  if (!resolve(request.owner.home, asked->path, request.path) ||
      !resolve(request.owner.home, asked->target, request.target))
    return file_failed(ENAMETOOLONG, asked->path);
  request.rest = asked->rest;
  int code = dispatch(asked->op, &request);
  tell_flush();
  return code;
}

/* Whether the operation's own fields are there, and nothing else. */
static bool complete(uint8_t op, struct reader in) {
  switch (op) {
    case OP_LIST: get_u32(&in); break;
    case OP_CHANGE:
      get_u8(&in);
      get_u32(&in);
      get_bytes(&in);
      get_bytes(&in);
      break;
    case OP_READ:
      get_u64(&in);
      get_u64(&in);
      break;
    case OP_WRITE:
      get_u8(&in);
      get_u32(&in);
      return metadata_fits(in);
    case OP_WATCH: get_u8(&in); break;
    default: break;
  }
  return reader_done(&in);
}

void file_open(struct stream *stream, struct reader in) {
  static struct asked asked;
  asked.op = get_u8(&in);
  asked.target[0] = 0;
  bool fits = slice_text(get_bytes(&in), asked.user, sizeof asked.user) &&
              slice_text(get_bytes(&in), asked.path, sizeof asked.path);
  if (fits && asked.op == OP_MOVE) fits = slice_text(get_bytes(&in), asked.target, sizeof asked.target);
  asked.rest = in;
  if (!in.bad && (asked.op < OP_STAT || asked.op > OP_TAR_IN))
    stream_reset(stream, E_UNSUPPORTED, "unknown operation on files");
  else if (!fits || !complete(asked.op, in))
    stream_reset(stream, E_MALFORMED, "the question about files is malformed");
  else
    process_fork(stream, asked.op == OP_WRITE || asked.op == OP_TAR_IN, work, &asked);
}

static int code_of(int failure) {
  switch (failure) {
    case ENOENT: return E_NOT_FOUND;
    case EEXIST:
    case ENOTEMPTY: return E_EXISTS;
    case ENOTDIR: return E_NOT_A_FOLDER;
    case EISDIR: return E_IS_A_FOLDER;
    case ENOSPC:
    case EDQUOT: return E_NO_SPACE;
    case EACCES:
    case EPERM:
    case EROFS: return E_DENIED;
    case EMFILE:
    case ENFILE:
    case ENOMEM: return E_LIMIT;
    case EIO: return E_STEP_FAILED;
    default: return E_UNFIT;
  }
}

/* The reason first: what is cut off of a long complaint is the path's end. */
int file_failed(int failure, const char *path) {
  return complain(code_of(failure), "%s: %s", strerror(failure), path);
}

int write_all(int fd, const void *data, size_t length) {
  const uint8_t *at = data;
  while (length > 0) {
    ssize_t put = write(fd, at, length);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    at += put;
    length -= (size_t)put;
  }
  return 0;
}

bool is_dots(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }
