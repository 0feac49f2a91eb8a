#include "cobs.h"

#include <string.h>

void cobs_begin(struct cobs_encoder *encoder, uint8_t *buffer) {
  encoder->code = buffer;
  *buffer = 1;
  encoder->next = buffer + 1;
}

/* In runs up to the next zero: a byte at a time is what costs most where the CPU is emulated. */
void cobs_add(struct cobs_encoder *encoder, const void *data, size_t length) {
  const uint8_t *from = data, *end = from + length;
  uint8_t *code = encoder->code, *next = encoder->next; /* what is written may not alias these */
  while (from < end) {
    if (*code == 0xff) *(code = next++) = 1;
    if (*from == 0) {
      *(code = next++) = 1;
      from++;
      continue;
    }
    size_t most = 0xffu - *code, left = (size_t)(end - from);
    if (left < most) most = left;
    const uint8_t *zero = memchr(from, 0, most);
    size_t run = zero ? (size_t)(zero - from) : most;
    memcpy(next, from, run);
    next += run;
    *code = (uint8_t)(*code + run);
    from += run;
  }
  encoder->code = code;
  encoder->next = next;
}

uint8_t *cobs_end(struct cobs_encoder *encoder) {
  *encoder->next++ = 0;
  return encoder->next;
}

void cobs_reset(struct cobs_decoder *decoder) {
  decoder->length = 0;
  decoder->code = 0;
  decoder->missing = 0;
  decoder->skipping = false;
}

static bool append(struct cobs_decoder *decoder, const uint8_t *data, size_t length) {
  if (length > MAX_FRAME - decoder->length) return false;
  memcpy(decoder->frame + decoder->length, data, length);
  decoder->length += length;
  return true;
}

/* Blocks without a byte, one for each zero in a row of them. */
static void take_empty_blocks(struct cobs_decoder *decoder, const uint8_t **data, size_t *length) {
  size_t most = MAX_FRAME - decoder->length, count = 0;
  if (*length < most) most = *length;
  while (count < most && (*data)[count] == 1) count++;
  memset(decoder->frame + decoder->length, 0, count);
  decoder->length += count;
  *data += count;
  *length -= count;
}

/* The zero that ends a frame: an open block makes the frame bad, nothing before it makes it empty. */
static enum cobs_event finish(struct cobs_decoder *decoder) {
  bool skipped = decoder->skipping, empty = decoder->code == 0, torn = decoder->missing > 0;
  size_t length = decoder->length;
  cobs_reset(decoder);
  decoder->length = length;
  if (skipped || empty) {
    decoder->length = 0;
    return COBS_MORE;
  }
  return torn ? COBS_BAD : COBS_FRAME;
}

enum cobs_event cobs_take(struct cobs_decoder *decoder, const uint8_t **data, size_t *length) {
  if (decoder->code == 0 && !decoder->skipping) decoder->length = 0;
  while (*length > 0) {
    uint8_t byte = **data;
    if (byte == 0 || decoder->skipping) {
      ++*data;
      --*length;
      if (byte != 0) continue;
      enum cobs_event event = finish(decoder);
      if (event != COBS_MORE) return event;
      continue;
    }
    bool fits = true;
    if (decoder->missing == 0) {
      if (decoder->code != 0 && decoder->code != 0xff) {
        fits = decoder->length < MAX_FRAME;
        if (fits) decoder->frame[decoder->length++] = 0;
      }
      decoder->code = byte;
      decoder->missing = (uint8_t)(byte - 1);
      ++*data;
      --*length;
      if (fits && byte == 1) take_empty_blocks(decoder, data, length);
    } else {
      size_t run = decoder->missing < *length ? decoder->missing : *length;
      const uint8_t *end = memchr(*data, 0, run);
      if (end) run = (size_t)(end - *data);
      fits = append(decoder, *data, run);
      decoder->missing = (uint8_t)(decoder->missing - run);
      *data += run;
      *length -= run;
    }
    if (!fits) {
      decoder->skipping = true;
      return COBS_BAD;
    }
  }
  return COBS_MORE;
}
