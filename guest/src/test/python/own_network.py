"""Brings up the loopback of a network namespace, serves echoes in it, and becomes the command it is given."""
import ctypes
import fcntl
import os
import signal
import socket
import struct
import sys
import threading

SIOCSIFFLAGS = 0x8914
UP_AND_RUNNING = 0x41
PR_SET_PDEATHSIG = 1

with socket.socket() as anything:
    fcntl.ioctl(anything, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", UP_AND_RUNNING))

listeners = [
    socket.create_server(("127.0.0.1", 7)),
    socket.create_server(("::1", 6), family=socket.AF_INET6),
]


def echo(client):
    with client:
        try:
            while data := client.recv(65536):
                client.sendall(data)
        except OSError:
            pass


def serve(listener):
    while True:
        threading.Thread(target=echo, args=(listener.accept()[0],), daemon=True).start()


parent = os.getpid()
if os.fork() == 0:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit()
    for listener in listeners:
        threading.Thread(target=serve, args=(listener,)).start()
else:
    os.execvp(sys.argv[1], sys.argv[1:])
