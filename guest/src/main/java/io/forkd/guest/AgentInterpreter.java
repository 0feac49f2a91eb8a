package io.forkd.guest;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The code contexts of a guest, over the channel to its agent. */
final class AgentInterpreter implements Interpreter {
  private final Connection connection;

  AgentInterpreter(Connection connection) {
    this.connection = connection;
  }

  @Override
  public List<CodeContext> contexts() {
    return call("list the contexts")
        .run(
            new Payload().u8(ContextCall.LIST),
            fields -> {
              List<CodeContext> contexts = new ArrayList<>();
              for (int left = fields.u16(); left > 0; left--) {
                contexts.add(context(fields));
              }
              return List.copyOf(contexts);
            });
  }

  @Override
  public CodeContext create(Language language, Optional<String> cwd) {
    return call("make a %s context".formatted(language.text()))
        .run(
            new Payload().u8(ContextCall.CREATE).text(language.text()).text(cwd.orElse("")),
            AgentInterpreter::context);
  }

  @Override
  public void restart(String context) {
    order("restart", ContextCall.RESTART, context);
  }

  @Override
  public void delete(String context) {
    order("delete", ContextCall.DELETE, context);
  }

  @Override
  public void interrupt(String context) {
    order("interrupt", ContextCall.INTERRUPT, context);
  }

  @Override
  public Execution execute(CodeRequest request) {
    return CodeExecution.begin(connection, request);
  }

  private void order(String verb, int operation, String context) {
    String _ =
        call("%s the context '%s'".formatted(verb, context))
            .run(new Payload().u8(operation).text(context), fields -> context);
  }

  private ContextCall call(String what) {
    return new ContextCall(connection, what);
  }

  private static CodeContext context(Fields fields) throws NonsenseException {
    String id = fields.text();
    String language = fields.text();
    String cwd = fields.text();
    var _ = fields.u8();
    return new CodeContext(
        id,
        Language.of(language)
            .orElseThrow(() -> new NonsenseException("a context that speaks " + language)),
        cwd);
  }
}
