package io.forkd.guest;

/** The numbers of the guest protocol; docs/guest-protocol.md says what they mean. */
final class Protocol {
  static final int VERSION = 1;
  static final int INITIAL_WINDOW = 256 * 1024;

  static final int HELLO = 0x01;
  static final int HELLO_ACK = 0x02;
  static final int PING = 0x03;
  static final int PONG = 0x04;
  static final int QUIESCE = 0x05;
  static final int QUIESCED = 0x06;
  static final int IDENTIFY = 0x07;
  static final int IDENTIFIED = 0x08;
  static final int SET_CLOCK = 0x09;
  static final int CLOCK_SET = 0x0a;
  static final int SET_ENV = 0x0b;
  static final int ENV_SET = 0x0c;
  static final int FAILED = 0x0e;
  static final int GOODBYE = 0x0f;
  static final int OPEN = 0x10;
  static final int DATA = 0x11;
  static final int EOF = 0x12;
  static final int WINDOW = 0x13;
  static final int RESULT = 0x14;
  static final int RESET = 0x15;
  static final int CANCEL = 0x16;
  static final int OPENED = 0x17;

  static final int KIND_EXEC = 1;
  static final int KIND_EVAL = 2;
  static final int KIND_START = 3;
  static final int KIND_FILES = 4;
  static final int KIND_DESCRIBE = 5;
  static final int KIND_READ = 6;
  static final int KIND_PROCESSES = 7;
  static final int KIND_CONNECT = 8;
  static final int KIND_CPUS = 9;
  static final int KIND_PROCESS = 10;
  static final int KIND_ATTACH = 11;
  static final int KIND_PROCESS_CONTROL = 12;
  static final int KIND_FILE = 13;
  static final int KIND_METRICS = 14;
  static final int KIND_CONTEXT = 15;

  static final int CHANNEL_IN = 0;
  static final int CHANNEL_OUT = 1;
  static final int CHANNEL_ERR = 2;

  static final int ERROR_MALFORMED = 1;
  static final int ERROR_UNSUPPORTED = 2;
  static final int ERROR_LIMIT = 3;
  static final int ERROR_CANCELLED = 5;
  static final int ERROR_NO_RUNTIME = 6;
  static final int ERROR_REFUSED = 11;
  static final int ERROR_NOBODY_LISTENS = 12;
  static final int ERROR_BROKEN = 13;
  static final int ERROR_NOT_FOUND = 14;
  static final int ERROR_EXISTS = 15;
  static final int ERROR_NOT_A_FOLDER = 16;
  static final int ERROR_IS_A_FOLDER = 17;
  static final int ERROR_NO_SPACE = 18;
  static final int ERROR_DENIED = 19;
  static final int ERROR_NO_SUCH_USER = 20;
  static final int ERROR_UNFIT = 21;

  private Protocol() {}
}
