#include "wire.h"

#include <stdlib.h>
#include <string.h>

struct reader reader_of(const void *data, size_t length) {
  return (struct reader){.at = data, .left = length, .bad = false};
}

static uint64_t get(struct reader *in, unsigned width) {
  if (in->bad || in->left < width) {
    in->bad = true;
    return 0;
  }
  uint64_t value = 0;
  for (unsigned i = 0; i < width; i++) value |= (uint64_t)in->at[i] << (8 * i);
  in->at += width;
  in->left -= width;
  return value;
}

uint8_t get_u8(struct reader *in) { return (uint8_t)get(in, 1); }
uint16_t get_u16(struct reader *in) { return (uint16_t)get(in, 2); }
uint32_t get_u32(struct reader *in) { return (uint32_t)get(in, 4); }
uint64_t get_u64(struct reader *in) { return get(in, 8); }

struct slice get_bytes(struct reader *in) {
  uint32_t length = get_u32(in);
  if (in->bad || length > in->left) {
    in->bad = true;
    return (struct slice){0};
  }
  struct slice slice = {in->at, length};
  in->at += length;
  in->left -= length;
  return slice;
}

struct slice get_rest(struct reader *in) {
  struct slice slice = {in->at, in->left};
  in->at += in->left;
  in->left = 0;
  return slice;
}

bool reader_done(const struct reader *in) { return !in->bad && in->left == 0; }

bool slice_text(struct slice slice, char *buffer, size_t size) {
  if (slice.length >= size) return false;
  if (slice.length > 0) {
    if (memchr(slice.data, 0, slice.length)) return false;
    memcpy(buffer, slice.data, slice.length);
  }
  buffer[slice.length] = 0;
  return true;
}

char *slice_dup(struct slice slice) {
  char *text = malloc(slice.length + 1);
  if (text && !slice_text(slice, text, slice.length + 1)) {
    free(text);
    return NULL;
  }
  return text;
}

void free_texts(char **texts) {
  for (char **text = texts; texts && *text; text++) free(*text);
  free(texts);
}

char **get_texts(struct reader *in) {
  uint16_t count = get_u16(in);
  if (in->bad || count > MAX_TEXTS) return NULL;
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

struct writer writer_on(void *buffer, size_t capacity) {
  return (struct writer){.data = buffer, .capacity = capacity};
}

static void put(struct writer *out, uint64_t value, unsigned width) {
  uint8_t bytes[8];
  for (unsigned i = 0; i < width; i++) bytes[i] = (uint8_t)(value >> (8 * i));
  if (out->bad || out->capacity - out->length < width) {
    out->bad = true;
    return;
  }
  memcpy(out->data + out->length, bytes, width);
  out->length += width;
}

void put_u8(struct writer *out, uint8_t value) { put(out, value, 1); }
void put_u16(struct writer *out, uint16_t value) { put(out, value, 2); }
void put_u32(struct writer *out, uint32_t value) { put(out, value, 4); }
void put_u64(struct writer *out, uint64_t value) { put(out, value, 8); }

void put_raw(struct writer *out, const void *data, size_t length) {
  if (out->bad || out->capacity - out->length < length) {
    out->bad = true;
    return;
  }
  if (length > 0) memcpy(out->data + out->length, data, length);
  out->length += length;
}

void put_bytes(struct writer *out, const void *data, size_t length) {
  put_u32(out, (uint32_t)length);
  put_raw(out, data, length);
}

void put_text(struct writer *out, const char *text) { put_bytes(out, text, strlen(text)); }
