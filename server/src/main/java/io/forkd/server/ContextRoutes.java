package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.guest.CodeContext;
import io.forkd.guest.Interpreter;
import io.forkd.guest.Language;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpHandler;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/** Routes about the contexts of a sandbox, in which code runs and keeps its state. */
final class ContextRoutes {
  private static final String ALL = "/v1/sandboxes/{id}/contexts";
  private static final String ONE = ALL + "/{context}";
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}");

  private final View forkd;

  ContextRoutes(View forkd) {
    this.forkd = forkd;
  }

  void addTo(Router router) {
    router
        .add(
            operation(Operation.get(ALL), "List the contexts")
                .answers(200, Schema.listOf(CodeSchemas.CONTEXT)),
            this::list)
        .add(
            operation(Operation.post(ALL), "Start a context")
                .body(CodeSchemas.CREATE)
                .answers(201, CodeSchemas.CONTEXT),
            this::create)
        .add(
            operation(Operation.delete(ONE), "End a context").answers(204), on(Interpreter::delete))
        .add(
            operation(Operation.post(ONE + "/restart"), "Give a context a new, empty state")
                .answers(204),
            on(Interpreter::restart))
        .add(
            operation(Operation.post(ONE + "/interrupt"), "Interrupt what runs in a context")
                .answers(204),
            on(Interpreter::interrupt));
  }

  private static Operation operation(Operation operation, String summary) {
    return operation.summary(summary).role(Role.USER).fails(409, 502, 504);
  }

  private void list(Exchange exchange) throws IOException {
    exchange.respond(
        200,
        forkd.inside(exchange).interpreter().contexts().stream()
            .map(ContextRoutes::context)
            .toList());
  }

  private void create(Exchange exchange) throws IOException {
    Fields fields = BodyReader.read(exchange.body());
    fields.requiredString("language");
    Language language = fields.oneOf("language", Language.class).orElseThrow();
    Optional<String> cwd = ProcessFields.text(fields, "cwd");
    CodeContext made = forkd.inside(exchange).interpreter().create(language, cwd);
    Subjects.note(exchange, made.id());
    exchange.respond(201, context(made));
  }

  private HttpHandler on(BiConsumer<Interpreter, String> work) {
    return exchange -> {
      String context = checked(exchange.pathParameter("context"));
      work.accept(forkd.inside(exchange).interpreter(), context);
      exchange.respondEmpty(204);
    };
  }

  /** A context's id, as far as can be told without asking the guest. */
  static String checked(String id) {
    if (!ID.matcher(id).matches()) {
      throw ForkdException.badRequest(
          "A context's id must match %s: GET contexts lists them.", ID.pattern());
    }
    return id;
  }

  private static JsonObject context(CodeContext context) {
    return Json.object()
        .with("id", context.id())
        .with("language", Shapes.word(context.language()))
        .with("cwd", context.cwd());
  }
}
