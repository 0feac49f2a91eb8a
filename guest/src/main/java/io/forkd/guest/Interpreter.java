package io.forkd.guest;

import java.util.List;
import java.util.Optional;

/**
 * Code run in contexts that keep their state. The default context of a language has the language's
 * name for an id; that of Python is the one its snapshot warmed.
 */
public interface Interpreter {
  /** Those that run, the default one of Python first. */
  List<CodeContext> contexts();

  /** Starts a context; fails with UNFIT when the image lacks what runs it. */
  CodeContext create(Language language, Optional<String> cwd);

  /** Gives a context a new, empty state. */
  void restart(String context);

  /** Ends a context. */
  void delete(String context);

  /** Interrupts what runs in a context; nothing happens when nothing does. */
  void interrupt(String context);

  /** Runs code; executions of one context come one after the other. */
  Execution execute(CodeRequest request);
}
