#define _GNU_SOURCE
#include "content.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Files above this are mostly holes, or too long to hash every zero of them. */
#define SPARSE_FROM (64u << 20)
#define PAGE 4096u
#define TEXT_MOST (1u << 20)
#define NUL_FREE 8192u

/* Whether bytes are valid UTF-8, as they come. */
struct text {
  bool valid;
  uint8_t missing;   /* bytes the current character still lacks */
  uint8_t low, high; /* what the next of them may be */
  uint64_t length;
  uint32_t newlines;
  uint8_t last;
};

static bool begins_character(struct text *text, uint8_t byte) {
  text->low = 0x80;
  text->high = 0xbf;
  if (byte < 0x80) return true;
  if (byte < 0xc2 || byte > 0xf4) return false;
  text->missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  if (byte == 0xe0) text->low = 0xa0;  /* shorter forms exist */
  if (byte == 0xed) text->high = 0x9f; /* surrogates */
  if (byte == 0xf0) text->low = 0x90;
  if (byte == 0xf4) text->high = 0x8f; /* beyond the last character */
  return true;
}

static bool continues_character(struct text *text, uint8_t byte) {
  bool fits = byte >= text->low && byte <= text->high;
  text->low = 0x80;
  text->high = 0xbf;
  text->missing--;
  return fits;
}

static void text_add(struct text *text, const uint8_t *data, size_t length) {
  for (size_t i = 0; i < length && text->valid; i++, text->length++) {
    uint8_t byte = data[i];
    if (byte == 0 && text->length < NUL_FREE) text->valid = false;
    if (!(text->missing > 0 ? continues_character(text, byte) : begins_character(text, byte))) text->valid = false;
    if (byte == '\n') text->newlines++;
    text->last = byte;
  }
}

static uint32_t text_lines(const struct text *text) {
  if (!text->valid || text->missing > 0) return NOT_TEXT;
  return text->newlines + (text->length > 0 && text->last != '\n');
}

static ssize_t read_at(int fd, uint8_t *buffer, size_t length, uint64_t offset) {
  size_t total = 0;
  while (total < length) {
    ssize_t got = pread(fd, buffer + total, length - total, (off_t)(offset + total));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    total += (size_t)got;
  }
  return (ssize_t)total;
}

static bool all_zero(const uint8_t *page, size_t length) {
  return page[0] == 0 && memcmp(page, page + 1, length - 1) == 0;
}

static void add_number(struct sha256 *sha, uint64_t number) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(number >> (8 * i));
  sha256_add(sha, bytes, sizeof bytes);
}

/* The digest of the size and of every page that is not zero, with its offset: it depends on the
   content alone, and holes cost nothing. */
static int read_sparse(int fd, struct entry *entry, struct sha256 *sha) {
  static uint8_t buffer[16 * PAGE];
  add_number(sha, entry->size);
  for (uint64_t offset = 0; offset < entry->size;) {
    off_t data = lseek(fd, (off_t)offset, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;
    if (data > (off_t)offset) offset = (uint64_t)data & ~(uint64_t)(PAGE - 1);
    uint64_t left = entry->size - offset;
    ssize_t got = read_at(fd, buffer, left < sizeof buffer ? (size_t)left : sizeof buffer, offset);
    if (got < 0) return -errno;
    if (got == 0) break; /* it was cut off meanwhile */
    for (size_t at = 0; at < (size_t)got; at += PAGE) {
      size_t length = (size_t)got - at < PAGE ? (size_t)got - at : PAGE;
      if (all_zero(buffer + at, length)) continue;
      add_number(sha, offset + at);
      sha256_add(sha, buffer + at, length);
    }
    offset += (uint64_t)got;
  }
  return 0;
}

/* Takes no more than the size it had, so that a file that grows has an end. */
static int read_plain(int fd, struct entry *entry, struct sha256 *sha) {
  static uint8_t buffer[CHUNK];
  struct text text = {.valid = entry->size <= TEXT_MOST};
  uint64_t offset = 0;
  while (offset < entry->size) {
    uint64_t left = entry->size - offset;
    ssize_t got = read_at(fd, buffer, left < sizeof buffer ? (size_t)left : sizeof buffer, offset);
    if (got < 0) return -errno;
    if (got == 0) break;
    sha256_add(sha, buffer, (size_t)got);
    text_add(&text, buffer, (size_t)got);
    offset += (uint64_t)got;
  }
  entry->size = offset;
  entry->lines = text_lines(&text);
  return 0;
}

int content_read(int fd, uint64_t size, struct entry *entry) {
  struct sha256 sha;
  sha256_begin(&sha);
  entry->size = size;
  int failure = size > SPARSE_FROM ? read_sparse(fd, entry, &sha) : read_plain(fd, entry, &sha);
  if (failure < 0) return failure;
  sha256_end(&sha, entry->hash);
  entry->hashed = true;
  return 0;
}
