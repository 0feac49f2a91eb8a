#include "channel.h"

#include <string.h>
#include <unistd.h>

#include "cobs.h"
#include "control.h"
#include "loop.h"
#include "streams.h"

#define OUT_SIZE (256u * 1024u)
/* Input is taken only while the largest answer to one frame still fits. */
#define RESERVE COBS_BOUND(MAX_FRAME)

static struct watch port = {.fd = -1};
static struct cobs_decoder decoder;
static uint8_t raw[16384];
static const uint8_t *raw_next = raw;
static size_t raw_left;
static uint8_t out[OUT_SIZE];
static size_t out_start, out_end;
static bool greeted; /* a HELLO has been seen and nothing went wrong since */

int channel_open(int fd) {
  cobs_reset(&decoder);
  raw_left = out_start = out_end = 0;
  greeted = false;
  return watch_open(&port, fd);
}

bool channel_is_open(void) { return port.fd >= 0; }

static size_t room(void) { return OUT_SIZE - (out_end - out_start); }

bool channel_has_room(size_t payload) {
  return room() >= COBS_BOUND(FRAME_HEADER + payload) + RESERVE;
}

void channel_send(uint8_t type, uint8_t flags, uint32_t stream, const void *payload, size_t length) {
  if (!greeted) return;
  size_t need = COBS_BOUND(FRAME_HEADER + length);
  if (length > MAX_PAYLOAD || need > room()) {
    say("frame %u of %zu bytes does not fit; dropping the connection", type, length);
    greeted = false;
    streams_drop_all();
    return;
  }
  if (need > OUT_SIZE - out_end) {
    memmove(out, out + out_start, out_end - out_start);
    out_end -= out_start;
    out_start = 0;
  }
  uint8_t header[FRAME_HEADER];
  struct writer fields = writer_on(header, sizeof header);
  put_u8(&fields, type);
  put_u8(&fields, flags);
  put_u32(&fields, stream);
  put_u32(&fields, (uint32_t)length);
  struct cobs_encoder encoder;
  cobs_begin(&encoder, out + out_end);
  cobs_add(&encoder, header, sizeof header);
  cobs_add(&encoder, payload, length);
  out_end = (size_t)(cobs_end(&encoder) - out);
}

void channel_send_writer(uint8_t type, uint32_t stream, const struct writer *payload) {
  channel_send(type, 0, stream, payload->data, payload->length);
}

void channel_restart_output(void) {
  out_start = 0;
  out[0] = 0;
  out_end = 1;
  greeted = true;
}

void channel_violated(const char *why) {
  if (!greeted) return;
  say("host broke the protocol: %s", why);
  uint8_t buffer[512];
  struct writer payload = writer_on(buffer, sizeof buffer);
  put_u16(&payload, E_MALFORMED);
  put_text(&payload, why);
  channel_send_writer(GOODBYE, 0, &payload);
  greeted = false;
  streams_drop_all();
}

static void take_frame(void) {
  struct reader in = reader_of(decoder.frame, decoder.length);
  struct frame frame = {.type = get_u8(&in), .flags = get_u8(&in), .stream = get_u32(&in)};
  uint32_t length = get_u32(&in);
  if (in.bad || length != in.left) {
    channel_violated("a frame's length does not match its bytes");
    return;
  }
  frame.payload = in.at;
  frame.length = in.left;
  if (frame.type == HELLO || (greeted && frame.stream == 0))
    control_frame(&frame);
  else if (greeted)
    streams_frame(&frame);
}

static bool read_port(void) {
  if (raw_left > 0 || !port.readable) return raw_left > 0;
  ssize_t got = watch_read(&port, raw, sizeof raw);
  if (got > 0) {
    raw_next = raw;
    raw_left = (size_t)got;
    return true;
  }
  if (got == 0) port.readable = false; /* a virtio port without a host reads as ended until one comes */
  if (got == -2 || (got == 0 && !config.init)) {
    say("channel closed");
    streams_drop_all();
    watch_close(&port);
  }
  return false;
}

static bool take_input(void) {
  bool moved = false;
  while (port.fd >= 0 && room() >= RESERVE && read_port()) {
    moved = true;
    switch (cobs_take(&decoder, &raw_next, &raw_left)) {
      case COBS_FRAME: take_frame(); break;
      case COBS_BAD: channel_violated("a frame is torn or too long"); break;
      case COBS_MORE: break;
    }
  }
  return moved;
}

static bool flush_output(void) {
  bool moved = false;
  while (port.fd >= 0 && port.writable && out_start < out_end) {
    ssize_t put = watch_write(&port, out + out_start, out_end - out_start);
    if (put <= 0) break;
    out_start += (size_t)put;
    moved = true;
  }
  if (out_start == out_end) out_start = out_end = 0;
  return moved;
}

bool channel_pump(void) {
  bool moved = take_input();
  return flush_output() || moved;
}
