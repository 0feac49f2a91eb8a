/* Little-endian fields of a payload. A reader that runs out of bytes turns bad and stays bad. */
#pragma once

#include "agent.h"

struct reader {
  const uint8_t *at;
  size_t left;
  bool bad;
};

struct slice {
  const uint8_t *data;
  size_t length;
};

struct reader reader_of(const void *data, size_t length);
uint8_t get_u8(struct reader *in);
uint16_t get_u16(struct reader *in);
uint32_t get_u32(struct reader *in);
uint64_t get_u64(struct reader *in);
struct slice get_bytes(struct reader *in);
struct slice get_rest(struct reader *in);
/* True when every byte was read and none was missing. */
bool reader_done(const struct reader *in);
/* Copies a slice as a C string; false when it does not fit or holds a zero byte. */
bool slice_text(struct slice slice, char *buffer, size_t size);
/* Copies a slice as a C string on the heap; NULL when it holds a zero byte or memory is short. */
char *slice_dup(struct slice slice);

#define MAX_TEXTS 4096
/* A list of strings as a NULL-terminated array on the heap; NULL when it is malformed or too long. */
char **get_texts(struct reader *in);
void free_texts(char **texts);

/* A payload under construction; what does not fit marks it bad instead of overflowing. */
struct writer {
  uint8_t *data;
  size_t length;
  size_t capacity;
  bool bad;
};

struct writer writer_on(void *buffer, size_t capacity);
void put_u8(struct writer *out, uint8_t value);
void put_u16(struct writer *out, uint16_t value);
void put_u32(struct writer *out, uint32_t value);
void put_u64(struct writer *out, uint64_t value);
void put_bytes(struct writer *out, const void *data, size_t length);
/* Without a length before them. */
void put_raw(struct writer *out, const void *data, size_t length);
void put_text(struct writer *out, const char *text);
