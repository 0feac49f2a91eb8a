#include "connect.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "descriptors.h"
#include "loop.h"

/* How long a program may take to read what was sent before the host let go. */
#define LINGER_MS 30000
/* What the longest ending of a stream here takes. */
#define ENDING 256

struct connection {
  struct connection *next;
  struct stream *stream; /* NULL: the host has let go */
  struct watch socket;   /* closed: the connection is over */
  uint16_t port;
  bool ipv6;
  bool connected;
  bool deaf;      /* the program broke the connection: nothing can be sent */
  bool sent_all;  /* the program was told that no more comes */
  bool heard_all; /* the host was told that no more comes */
  uint8_t *rest;  /* what is still to be sent without a stream */
  size_t rest_length;
  int64_t give_up_at;
};

static struct connection *connections;
static int count;

union address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

static socklen_t loopback(const struct connection *connection, union address *address) {
  memset(address, 0, sizeof *address);
  if (connection->ipv6) {
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons(connection->port);
    address->v6.sin6_addr.s6_addr[15] = 1;
    return sizeof address->v6;
  }
  address->v4.sin_family = AF_INET;
  address->v4.sin_port = htons(connection->port);
  address->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return sizeof address->v4;
}

/* Called again on a socket that is connecting, connect(2) tells how that goes. */
static int try_connect(const struct connection *connection, int fd) {
  union address address;
  socklen_t length = loopback(connection, &address);
  return connect(fd, &address.any, length) == 0 || errno == EISCONN ? 0 : errno;
}

static bool under_way(int failure) {
  return failure == EINPROGRESS || failure == EALREADY || failure == EINTR;
}

/* Zero when a connection is under way. */
static int begin(struct connection *connection) {
  int family = connection->ipv6 ? AF_INET6 : AF_INET;
  int fd = descriptor_apart(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd < 0) return errno;
  int failure = try_connect(connection, fd);
  if (failure && !under_way(failure)) {
    close(fd);
    return failure;
  }
  if (watch_open(&connection->socket, fd) < 0) return errno;
  /* The first event tells that something is decided, also when it already is. */
  connection->socket.readable = connection->socket.writable = false;
  return 0;
}

static void over(struct connection *connection) {
  watch_close(&connection->socket);
  if (connection->stream) connection->stream->connection = NULL;
  connection->stream = NULL;
}

static void reset(struct connection *connection, uint16_t code, const char *message) {
  struct stream *stream = connection->stream;
  over(connection);
  stream_reset(stream, code, message);
}

static void refused(struct connection *connection, int failure) {
  char message[128];
  bool nobody = failure == ECONNREFUSED;
  format(message, sizeof message, "cannot connect to port %u: %s", connection->port,
         nobody ? "nothing listens there" : strerror(failure));
  bool used_up = failure == EMFILE || failure == ENFILE || failure == ENOBUFS || failure == ENOMEM;
  reset(connection, nobody ? E_NOBODY_LISTENS : used_up ? E_LIMIT : E_STEP_FAILED, message);
}

void connect_open(struct stream *stream, struct reader in) {
  uint16_t port = get_u16(&in);
  if (!reader_done(&in) || port == 0) {
    stream_reset(stream, E_MALFORMED, "connect needs a port");
    return;
  }
  struct connection *connection = count < MAX_CONNECTIONS ? calloc(1, sizeof *connection) : NULL;
  if (!connection) {
    stream_reset(stream, E_LIMIT, "too many connections to ports of this guest");
    return;
  }
  *connection = (struct connection){.next = connections, .stream = stream, .socket.fd = -1, .port = port};
  connections = connection;
  count++;
  stream->connection = connection;
  int failure = begin(connection);
  if (failure) refused(connection, failure);
}

/* A port from which connections are made may be given to the very socket that connects to it. */
static bool to_itself(const struct connection *connection) {
  union address own;
  socklen_t length = sizeof own;
  if (getsockname(connection->socket.fd, &own.any, &length) < 0) return false;
  return ntohs(connection->ipv6 ? own.v6.sin6_port : own.v4.sin_port) == connection->port;
}

static bool pump_connecting(struct connection *connection) {
  struct watch *socket = &connection->socket;
  if ((!socket->readable && !socket->writable) || !channel_has_room(ENDING)) return false;
  socket->readable = socket->writable = false;
  int failure = try_connect(connection, socket->fd);
  if (under_way(failure)) return false;
  if (!failure && to_itself(connection)) failure = ECONNREFUSED;
  if (!failure) {
    connection->connected = socket->readable = socket->writable = true;
    channel_send(OPENED, 0, connection->stream->id, "", 0);
    return true;
  }
  watch_close(socket);
  bool other_family = !connection->ipv6;
  connection->ipv6 = true;
  if (!other_family || begin(connection) != 0) refused(connection, failure);
  return true;
}

static bool pump_input(struct connection *connection) {
  struct stream *stream = connection->stream;
  struct watch *socket = &connection->socket;
  if (connection->deaf || connection->sent_all) return false;
  if (stream->in_length == 0) {
    stream_consumed(stream, 0);
    if (!stream->in_ended) return false;
    shutdown(socket->fd, SHUT_WR);
    return connection->sent_all = true;
  }
  if (!socket->writable) return false;
  ssize_t put = watch_write(socket, stream->in, stream->in_length);
  connection->deaf = put == -2;
  if (connection->deaf) put = (ssize_t)stream->in_length;
  if (put > 0) stream_consumed(stream, (size_t)put);
  return put > 0;
}

static bool pump_output(struct connection *connection) {
  static uint8_t buffer[CHUNK];
  struct stream *stream = connection->stream;
  size_t most = stream->credit < CHUNK ? stream->credit : CHUNK;
  if (connection->heard_all || !connection->socket.readable || most == 0 || !channel_has_room(most + ENDING))
    return false;
  ssize_t got = watch_read(&connection->socket, buffer, most);
  if (got == -1) return false;
  if (got > 0) {
    stream_data(stream, CHANNEL_OUT, buffer, (size_t)got);
  } else if (got < 0 || connection->deaf) {
    /* Once the failure was met in writing, reading meets an end that is none. */
    reset(connection, E_BROKEN, "the program in the guest broke the connection");
  } else {
    connection->heard_all = true;
    channel_send(END, CHANNEL_OUT, stream->id, "", 0);
  }
  return true;
}

static bool pump_ending(struct connection *connection) {
  if (!connection->heard_all || !channel_has_room(ENDING)) return false;
  struct stream *stream = connection->stream;
  if (connection->deaf) {
    reset(connection, E_BROKEN, "the program in the guest no longer reads");
  } else if (connection->sent_all) {
    over(connection);
    stream_result(stream, "", 0);
  } else {
    return false;
  }
  return true;
}

static bool pump_rest(struct connection *connection) {
  struct watch *socket = &connection->socket;
  if (now_ms() >= connection->give_up_at) {
    connection_abort(connection);
    return true;
  }
  loop_wake_at(connection->give_up_at);
  if (!socket->writable) return false;
  ssize_t put = watch_write(socket, connection->rest, connection->rest_length);
  if (put == -1) return false;
  connection->rest_length -= put > 0 ? (size_t)put : connection->rest_length;
  memmove(connection->rest, connection->rest + (put > 0 ? put : 0), connection->rest_length);
  if (connection->rest_length == 0) over(connection);
  return true;
}

static bool pump(struct connection *connection) {
  if (connection->socket.fd < 0) return false;
  if (!connection->stream) return pump_rest(connection);
  if (!connection->connected) return pump_connecting(connection);
  bool moved = pump_input(connection);
  moved |= pump_output(connection);
  return (connection->stream && pump_ending(connection)) || moved;
}

bool connections_pump(void) {
  bool moved = false;
  for (struct connection **link = &connections; *link;) {
    struct connection *connection = *link;
    moved |= pump(connection);
    if (connection->socket.fd >= 0) {
      link = &connection->next;
      continue;
    }
    *link = connection->next;
    free(connection->rest);
    free(connection);
    count--;
  }
  return moved;
}

bool connection_deaf(const struct connection *connection) { return connection->deaf; }

void connection_abort(struct connection *connection) {
  struct linger at_once = {.l_onoff = 1, .l_linger = 0};
  setsockopt(connection->socket.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  over(connection);
}

void connection_release(struct connection *connection) {
  struct stream *stream = connection->stream;
  if (!connection->connected || !stream->in_ended || connection->deaf) {
    connection_abort(connection);
  } else if (stream->in_length == 0) {
    over(connection);
  } else {
    connection->rest = stream->in;
    connection->rest_length = stream->in_length;
    connection->give_up_at = now_ms() + LINGER_MS;
    stream->in = NULL;
    stream->connection = NULL;
    connection->stream = NULL;
  }
}
