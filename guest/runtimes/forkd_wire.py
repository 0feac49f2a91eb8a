"""Messages between the Python kernel and the agent."""

import json
import struct

from forkd_output import bounded

ANSWER_LIMIT = 32 * 1024 * 1024


def receive(channel):
    """One message, or None at the end. Never reads into the next: that one is not ours to take yet."""
    head = read_exactly(channel, bytearray(4), 0)
    return head and read_exactly(channel, bytearray(struct.unpack("<I", head)[0]), 0)


def receive_only(channel):
    """Like receive, in one call: the agent sends a request only when the last one is answered."""
    data = channel.recv(65536)
    if 0 < len(data) < 4:
        data = read_exactly(channel, bytearray(data) + bytearray(4 - len(data)), len(data))
    if not data:
        return None
    missing = struct.unpack_from("<I", data)[0] + 4 - len(data)
    if missing > 0:
        data = read_exactly(channel, bytearray(data) + bytearray(missing), len(data))
    return data and data[4:]


def read_exactly(channel, data, done):
    """Fills data from where it is done; None when the channel ends first."""
    view = memoryview(data)
    while done < len(data):
        got = channel.recv_into(view[done:])
        if got == 0:
            return None
        done += got
    return data


def send(channel, body):
    channel.sendall(struct.pack("<I", len(body)) + body)


def encode(answer):
    """An answer as JSON. Escapes can make text six times longer: what then exceeds the limit is cut."""
    body = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
    if len(body) <= ANSWER_LIMIT:
        return body
    for name in ("result", "stdout", "stderr"):
        answer[name] = answer[name] and bounded(answer[name], ANSWER_LIMIT // 32)[0]
    answer["truncated"] = True
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
