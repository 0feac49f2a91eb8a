#include "tarhead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST_PAX 65536u
#define LONGEST_END (1u << 20)
#define LARGEST_SIZE ((uint64_t)1 << 62)

static uint8_t input[65536];
static size_t input_at, input_end;

size_t tar_take(uint64_t most, const uint8_t **data) {
  if (input_at == input_end) {
    ssize_t got;
    do got = read(STDIN_FILENO, input, sizeof input);
    while (got < 0 && errno == EINTR);
    input_at = 0;
    input_end = got > 0 ? (size_t)got : 0;
  }
  size_t there = input_end - input_at;
  size_t taken = most < there ? (size_t)most : there;
  *data = input + input_at;
  input_at += taken;
  return taken;
}

void tar_skip_end(void) {
  const uint8_t *ignored;
  size_t got = 1;
  for (size_t left = LONGEST_END; left > 0 && got > 0; left -= got) got = tar_take(left, &ignored);
}

/* How many bytes came, which is fewer than wanted at the input's end. */
static size_t take_whole(void *into, size_t length) {
  size_t total = 0;
  const uint8_t *data;
  for (size_t got; total < length && (got = tar_take(length - total, &data)) > 0; total += got)
    memcpy((uint8_t *)into + total, data, got);
  return total;
}

bool tar_skip_padding(uint64_t size) {
  uint8_t block[TAR_BLOCK];
  size_t padding = (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
  return take_whole(block, padding) == padding;
}

/* Octal digits, or, with the top bit set, big-endian bytes as GNU writes what is too large for them. */
static int64_t number(const char *field, size_t size) {
  const uint8_t *bytes = (const uint8_t *)field;
  uint64_t value = 0;
  if (bytes[0] & 0x80) {
    value = bytes[0] == 0xff ? UINT64_MAX : bytes[0] & 0x3f;
    for (size_t i = 1; i < size; i++) value = value << 8 | bytes[i];
    return (int64_t)value;
  }
  size_t i = 0;
  while (i < size && bytes[i] == ' ') i++;
  for (; i < size && bytes[i] >= '0' && bytes[i] <= '7'; i++) value = value << 3 | (uint64_t)(bytes[i] - '0');
  return (int64_t)value;
}
#define NUMBER(field) number(field, sizeof(field))

/* What headers before the member's own say in place of it. */
struct overrides {
  bool name, link, size, uid, gid, modified;
};

static bool keep_text(char *into, const char *text, size_t length) {
  if (length >= MAX_PATH || memchr(text, 0, length)) return false;
  memcpy(into, text, length);
  into[length] = 0;
  return true;
}

static void pax_time(const char *value, struct timespec *time) {
  char *end;
  time->tv_sec = (time_t)strtoll(value, &end, 10);
  time->tv_nsec = 0;
  long unit = 100000000;
  for (const char *digit = *end == '.' ? end + 1 : end; *digit >= '0' && *digit <= '9' && unit > 0; digit++, unit /= 10)
    time->tv_nsec += (*digit - '0') * unit;
}

/* One record, whose value ends with a zero; false when this archive cannot be unpacked. */
static bool pax_record(const char *key, const char *value, size_t length, struct member *member,
                       struct overrides *told) {
  if (strcmp(key, "path") == 0) return told->name = keep_text(member->name, value, length);
  if (strcmp(key, "linkpath") == 0) return told->link = keep_text(member->link, value, length);
  if (strcmp(key, "size") == 0) told->size = true, member->size = strtoull(value, NULL, 10);
  if (strcmp(key, "uid") == 0) told->uid = true, member->uid = (uint32_t)strtoull(value, NULL, 10);
  if (strcmp(key, "gid") == 0) told->gid = true, member->gid = (uint32_t)strtoull(value, NULL, 10);
  if (strcmp(key, "mtime") == 0) told->modified = true, pax_time(value, &member->modified);
  return strncmp(key, "GNU.sparse.", 11) != 0;
}

static bool pax_parse(char *text, size_t length, struct member *member, struct overrides *told) {
  for (char *at = text, *end = text + length; at < end;) {
    char *key;
    unsigned long size = strtoul(at, &key, 10);
    if (*key != ' ' || size > (size_t)(end - at) || size < (size_t)(key - at) + 4 || at[size - 1] != '\n') return false;
    key++;
    at[size - 1] = 0;
    char *equals = memchr(key, '=', size - (size_t)(key - at));
    if (!equals) return false;
    *equals = 0;
    if (!pax_record(key, equals + 1, (size_t)(at + size - 1 - (equals + 1)), member, told)) return false;
    at += size;
  }
  return true;
}

/* A header that tells of the next one; false when it is malformed or too long. */
static bool take_extension(char type, uint64_t size, struct member *member, struct overrides *told) {
  static char text[LONGEST_PAX + 1];
  if (size > LONGEST_PAX || take_whole(text, (size_t)size) < size || !tar_skip_padding(size)) return false;
  text[size] = 0;
  switch (type) {
    case TAR_GNU_LONG_NAME: return told->name = keep_text(member->name, text, strlen(text));
    case TAR_GNU_LONG_LINK: return told->link = keep_text(member->link, text, strlen(text));
    case TAR_PAX: return pax_parse(text, (size_t)size, member, told);
    default: return true; /* of the whole archive: nothing that is kept */
  }
}

static void take_names(const struct tar_header *header, struct member *member, const struct overrides *told) {
  bool prefixed = memcmp(header->magic, "ustar", 6) == 0 && header->prefix[0];
  if (!told->name)
    format(member->name, MAX_PATH, "%.155s%s%.100s", prefixed ? header->prefix : "", prefixed ? "/" : "", header->name);
  if (!told->link) format(member->link, MAX_PATH, "%.100s", header->link);
}

static void take_fields(const struct tar_header *header, struct member *member, const struct overrides *told) {
  take_names(header, member, told);
  member->type = header->type;
  size_t length = strlen(member->name);
  bool plain = member->type == TAR_OLD_FILE || member->type == TAR_CONTIGUOUS_FILE;
  if (plain) member->type = TAR_FILE;
  if (plain && length > 0 && member->name[length - 1] == '/') member->type = TAR_FOLDER;
  member->mode = (mode_t)(NUMBER(header->mode) & 07777);
  if (!told->uid) member->uid = (uint32_t)NUMBER(header->uid);
  if (!told->gid) member->gid = (uint32_t)NUMBER(header->gid);
  if (!told->size) member->size = (uint64_t)NUMBER(header->size);
  if (!told->modified) member->modified = (struct timespec){.tv_sec = (time_t)NUMBER(header->mtime)};
  member->major = (uint32_t)NUMBER(header->major);
  member->minor = (uint32_t)NUMBER(header->minor);
  bool content = member->type == TAR_FILE || member->type == TAR_GNU_VOLUME;
  if (!content) member->size = 0; /* whatever it says: none follows */
}

static bool is_extension(char type) {
  return type == TAR_PAX || type == TAR_PAX_GLOBAL || type == TAR_GNU_LONG_NAME || type == TAR_GNU_LONG_LINK;
}

enum tar_event tar_next(struct member *member, const char **why) {
  static const struct tar_header zeros;
  struct tar_header header;
  struct overrides told = {0};
  for (bool extended = false;; extended = true) {
    size_t got = take_whole(&header, sizeof header);
    bool ended = got == 0 || (got == sizeof header && memcmp(&header, &zeros, sizeof header) == 0);
    if (ended && !extended) return TAR_END;
    *why = "the archive ends in the middle";
    if (ended || got < sizeof header) return TAR_BROKEN;
    *why = "it is no tar archive, or a damaged one";
    if ((uint32_t)NUMBER(header.checksum) != tar_checksum(&header)) return TAR_BROKEN;
    uint64_t size = (uint64_t)NUMBER(header.size);
    if (!is_extension(header.type)) break;
    *why = "the archive has a long name or pax header that is malformed, too long or about a sparse file";
    if (!take_extension(header.type, size, member, &told)) return TAR_BROKEN;
  }
  take_fields(&header, member, &told);
  *why = "the archive has a file of an impossible size";
  return member->size > LARGEST_SIZE ? TAR_BROKEN : TAR_MEMBER;
}
