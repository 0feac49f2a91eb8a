import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import jdk.jshell.Diag;
import jdk.jshell.EvalException;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis;
import jdk.jshell.UnresolvedReferenceException;
import jdk.jshell.execution.LocalExecutionControlProvider;

/**
 * The Java runtime kernel of a forkd guest: executes one request at a time with JShell, in this
 * very JVM, and keeps its state.
 *
 * <p>Descriptor 3 carries requests, events and answers as python.py says; descriptor 4 carries
 * reseeds after a fork, which a thread of its own serves, so that code that runs does not hold them
 * up.
 */
public final class JavaKernel {
  private static final int EVENT = 0x80000000;
  private static final int LIMIT = 10 * 1024 * 1024;
  private static final int CHUNK = 16 * 1024;
  private static final List<String> IMPORTS =
      List.of(
          "java.io.*",
          "java.math.*",
          "java.net.*",
          "java.nio.file.*",
          "java.time.*",
          "java.util.*",
          "java.util.concurrent.*",
          "java.util.function.*",
          "java.util.regex.*",
          "java.util.stream.*");

  private final Object sending = new Object();
  private final OutputStream out;
  private final InputStream in;
  private final JShell shell;
  private boolean running;
  private volatile boolean interrupted;
  private int count;

  private JavaKernel() throws Exception {
    in = new FileInputStream(descriptor(3));
    out = new FileOutputStream(descriptor(3));
    System.setOut(new PrintStream(new Output("stdout"), true, UTF_8));
    System.setErr(new PrintStream(new Output("stderr"), true, UTF_8));
    System.setIn(InputStream.nullInputStream());
    shell = JShell.builder().executionEngine(new LocalExecutionControlProvider(), Map.of()).build();
    IMPORTS.forEach(name -> shell.eval("import " + name + ";"));
  }

  public static void main(String[] args) throws Exception {
    JavaKernel kernel = new JavaKernel();
    sun.misc.Signal.handle(new sun.misc.Signal("INT"), signal -> kernel.interrupt());
    Thread reseeder = new Thread(new Reseeder(descriptor(4)), "forkd reseeder");
    reseeder.setDaemon(true);
    reseeder.start();
    kernel.serve();
  }

  /** A descriptor that this process was started with. */
  private static FileDescriptor descriptor(int number) throws ReflectiveOperationException {
    FileDescriptor descriptor = new FileDescriptor();
    Field field = FileDescriptor.class.getDeclaredField("fd");
    field.setAccessible(true);
    field.setInt(descriptor, number);
    return descriptor;
  }

  private void serve() throws IOException {
    send("{\"runtime\":\"java\",\"version\":" + Json.quote(Runtime.version().toString()) + "}", 0);
    while (true) {
      byte[] request;
      try {
        request = receive(in);
      } catch (EOFException e) {
        System.exit(0);
        return;
      }
      send(respond(new String(request, UTF_8)), 0);
    }
  }

  static byte[] receive(InputStream from) throws IOException {
    DataInputStream data = new DataInputStream(from);
    byte[] body = new byte[Integer.reverseBytes(data.readInt())];
    data.readFully(body);
    return body;
  }

  private String respond(String text) {
    Map<String, Object> request;
    try {
      request = new Json(text).object();
      if (!"execute".equals(request.get("mode")) || !(request.get("code") instanceof String)) {
        throw new IllegalArgumentException("code to execute is wanted");
      }
    } catch (RuntimeException e) {
      return "{\"result\":null,\"error\":"
          + Json.quote("bad request: " + e)
          + ",\"traceback\":null}";
    }
    execute(
        (String) request.get("code"), request.get("env") instanceof Map<?, ?> env ? env : Map.of());
    return "{\"end\":true}";
  }

  private void execute(String code, Map<?, ?> env) {
    synchronized (sending) {
      running = true;
    }
    interrupted = false;
    tell("{\"type\":\"begin\",\"count\":" + ++count + "}");
    Map<String, String> before = new HashMap<>();
    try {
      Map<String, String> variables = Environment.open();
      env.forEach(
          (name, value) -> before.put((String) name, variables.put((String) name, (String) value)));
      run(code);
    } catch (Throwable e) {
      failure(e.getClass().getName(), String.valueOf(e.getMessage()), e.toString());
    } finally {
      Environment.restore(before);
    }
    System.out.flush();
    System.err.flush();
    synchronized (sending) {
      running = false;
    }
  }

  /** Snippet by snippet, up to the first that fails. */
  private void run(String code) {
    String rest = code;
    while (!rest.isBlank()) {
      SourceCodeAnalysis.CompletionInfo next = shell.sourceCodeAnalysis().analyzeCompletion(rest);
      boolean whole = next.completeness().isComplete();
      String source = whole ? next.source() : rest;
      rest = whole ? next.remaining() : "";
      boolean last = rest.isBlank();
      for (SnippetEvent event : shell.eval(source)) {
        if (event.causeSnippet() == null && !took(event, last)) {
          return;
        }
      }
      if (interrupted) {
        failure(
            "Interrupted",
            "the execution was interrupted",
            "Interrupted: the execution was interrupted");
        return;
      }
    }
  }

  /** Tells what came of a snippet; whether it went well. */
  private boolean took(SnippetEvent event, boolean last) {
    Snippet snippet = event.snippet();
    if (interrupted) {
      return true;
    }
    if (event.status() == Snippet.Status.REJECTED) {
      String problems =
          shell
              .diagnostics(snippet)
              .filter(Diag::isError)
              .map(problem -> problem.getMessage(Locale.ROOT) + at(snippet.source(), problem))
              .collect(Collectors.joining("\n"));
      failure(
          "CompilationError", problems.lines().findFirst().orElse("it does not compile"), problems);
      return false;
    }
    if (event.exception() != null) {
      failure(event.exception());
      return false;
    }
    boolean expression =
        snippet.kind() == Snippet.Kind.EXPRESSION
            || snippet.subKind() == Snippet.SubKind.TEMP_VAR_EXPRESSION_SUBKIND;
    if (last && expression && event.value() != null && !event.value().isEmpty()) {
      tell(
          "{\"type\":\"result\",\"main\":true,\"formats\":{\"text\":"
              + Json.quote(cut(event.value()))
              + "}}");
    }
    return true;
  }

  private static String at(String source, Diag problem) {
    int from = (int) Math.max(0, Math.min(problem.getStartPosition(), source.length()));
    int begin = source.lastIndexOf('\n', from - 1) + 1;
    int end = source.indexOf('\n', from);
    return "\n"
        + source.substring(begin, end < 0 ? source.length() : end)
        + "\n"
        + " ".repeat(from - begin)
        + "^";
  }

  private void failure(Throwable thrown) {
    String name =
        thrown instanceof EvalException e ? e.getExceptionClassName() : thrown.getClass().getName();
    String message = thrown.getMessage() == null ? "" : thrown.getMessage();
    if (thrown instanceof UnresolvedReferenceException unresolved) {
      name = "UnresolvedReference";
      message =
          shell.unresolvedDependencies(unresolved.getSnippet()).collect(Collectors.joining(", "));
    }
    StringBuilder trace = new StringBuilder(message.isEmpty() ? name : name + ": " + message);
    for (StackTraceElement element : thrown.getStackTrace()) {
      trace.append("\n    at ").append(element);
    }
    failure(name, message, trace.toString());
  }

  private void failure(String name, String value, String traceback) {
    tell(
        "{\"type\":\"failure\",\"name\":"
            + Json.quote(name)
            + ",\"value\":"
            + Json.quote(cut(value))
            + ",\"traceback\":"
            + Json.quote(cut(traceback))
            + "}");
  }

  private static String cut(String text) {
    return text.length() <= LIMIT
        ? text
        : text.substring(0, LIMIT) + "\n[forkd: the rest was dropped]";
  }

  private void interrupt() {
    interrupted = true;
    shell.stop();
  }

  private void tell(String event) {
    try {
      synchronized (sending) {
        if (running) {
          send(event + "\n", EVENT);
        }
      }
    } catch (IOException e) {
      System.exit(1); // the agent is gone
    }
  }

  private void send(String text, int flag) throws IOException {
    byte[] body = text.getBytes(UTF_8);
    ByteBuffer message = ByteBuffer.allocate(4 + body.length).order(ByteOrder.LITTLE_ENDIAN);
    message.putInt(body.length | flag).put(body);
    synchronized (sending) {
      out.write(message.array());
    }
  }

  /** What code writes, as events; what is written while none is executed is nobody's. */
  private final class Output extends OutputStream {
    private final String type;

    Output(String type) {
      this.type = type;
    }

    @Override
    public void write(int value) {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
      String text = new String(bytes, from, length, UTF_8);
      for (int at = 0; at < text.length(); ) {
        int end = Math.min(text.length(), at + CHUNK);
        if (end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
          end--;
        }
        tell("{\"type\":\"" + type + "\",\"text\":" + Json.quote(text.substring(at, end)) + "}");
        at = end;
      }
    }
  }

  /** Gives the generators that all code shares a state of their own after a fork. */
  private static final class Reseeder implements Runnable {
    private final InputStream from;
    private final OutputStream to;

    Reseeder(FileDescriptor channel) {
      from = new FileInputStream(channel);
      to = new FileOutputStream(channel);
    }

    @Override
    public void run() {
      try {
        while (true) {
          Map<String, Object> request = new Json(new String(receive(from), UTF_8)).object();
          int number = Integer.parseUnsignedInt((String) request.get("number"));
          try {
            reseed(Long.parseUnsignedLong(((String) request.get("seed")).substring(0, 16), 16));
            Environment.open().put("FORKD_SANDBOX_ID", (String) request.get("sandbox_id"));
            answer(number, 0, "Math.random\nThreadLocalRandom");
          } catch (ReflectiveOperationException | RuntimeException e) {
            answer(number, 1, e.toString());
          }
        }
      } catch (IOException e) {
        // The agent is gone, and this process goes with it.
      }
    }

    private static void reseed(long seed) throws ReflectiveOperationException {
      SplittableRandom seeds = new SplittableRandom(seed);
      ((Random)
              reach(
                      Class.forName("java.lang.Math$RandomNumberGeneratorHolder"),
                      "randomNumberGenerator")
                  .get(null))
          .setSeed(seeds.nextLong());
      ((AtomicLong) reach(ThreadLocalRandom.class, "seeder").get(null)).set(seeds.nextLong());
      Field own = reach(Thread.class, "threadLocalRandomSeed");
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        own.setLong(thread, seeds.nextLong());
      }
    }

    private static Field reach(Class<?> owner, String name) throws ReflectiveOperationException {
      Field field = owner.getDeclaredField(name);
      field.setAccessible(true);
      return field;
    }

    private void answer(int number, int failed, String text) throws IOException {
      byte[] said = text.getBytes(UTF_8);
      ByteBuffer message = ByteBuffer.allocate(9 + said.length).order(ByteOrder.LITTLE_ENDIAN);
      to.write(message.putInt(5 + said.length).putInt(number).put((byte) failed).put(said).array());
    }
  }

  /** The environment of this JVM, which Java alone would not let anybody change. */
  private static final class Environment {
    @SuppressWarnings("unchecked")
    static Map<String, String> open() throws ReflectiveOperationException {
      Field variables =
          Reseeder.reach(Class.forName("java.lang.ProcessEnvironment"), "theEnvironment");
      Constructor<?> view =
          Class.forName("java.lang.ProcessEnvironment$StringEnvironment")
              .getDeclaredConstructor(Map.class);
      view.setAccessible(true);
      return (Map<String, String>) view.newInstance(variables.get(null));
    }

    static void restore(Map<String, String> before) {
      try {
        Map<String, String> variables = open();
        before.forEach(
            (name, value) -> {
              if (value == null) {
                variables.remove(name);
              } else {
                variables.put(name, value);
              }
            });
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** As much JSON as requests have: objects of texts, plain words and objects. */
  private static final class Json {
    private final String text;
    private int at;

    Json(String text) {
      this.text = text;
    }

    Map<String, Object> object() {
      Map<String, Object> object = new HashMap<>();
      expect('{');
      if (peek() == '}') {
        at++;
        return object;
      }
      do {
        String name = string();
        expect(':');
        char first = peek();
        object.put(name, first == '"' ? string() : first == '{' ? object() : word());
      } while (peek() == ',' && at++ >= 0);
      expect('}');
      return object;
    }

    private char peek() {
      while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
        at++;
      }
      if (at >= text.length()) {
        throw new IllegalArgumentException("the JSON ends too soon");
      }
      return text.charAt(at);
    }

    private void expect(char wanted) {
      if (peek() != wanted) {
        throw new IllegalArgumentException("'" + wanted + "' is wanted at " + at);
      }
      at++;
    }

    private String word() {
      int from = at;
      while (at < text.length() && ",}".indexOf(text.charAt(at)) < 0) {
        at++;
      }
      return text.substring(from, at).strip();
    }

    private String string() {
      expect('"');
      StringBuilder string = new StringBuilder();
      while (true) {
        char next = text.charAt(at++);
        if (next == '"') {
          return string.toString();
        }
        string.append(next == '\\' ? escaped() : next);
      }
    }

    private char escaped() {
      char next = text.charAt(at++);
      int plain = "nrtbf".indexOf(next);
      if (next == 'u') {
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 4, at), 16);
      }
      return plain < 0 ? next : "\n\r\t\b\f".charAt(plain);
    }

    static String quote(String value) {
      StringBuilder quoted = new StringBuilder(value.length() + 16).append('"');
      for (int i = 0; i < value.length(); i++) {
        char c = value.charAt(i);
        if (c == '"' || c == '\\') {
          quoted.append('\\').append(c);
        } else if (c == '\n') {
          quoted.append("\\n");
        } else if (c < ' ') {
          quoted.append(String.format("\\u%04x", (int) c));
        } else {
          quoted.append(c);
        }
      }
      return quoted.append('"').toString();
    }
  }
}
