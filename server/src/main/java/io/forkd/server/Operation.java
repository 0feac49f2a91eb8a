package io.forkd.server;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One thing the API can do: what is routed, guarded, audited and documented by.
 *
 * @param method an HTTP method, or {@link #ANY_METHOD}
 * @param template a path whose segments are literal or, as in {@code /v1/snapshots/{tag}}, named;
 *     the last one may be a tail, {@code {rest...}}, which stands for any number of segments
 * @param summary one line that says what it does
 * @param role the least that a caller must have; empty means that anybody may call it
 * @param changes whether it changes anything, so that it is audited and refused to who only reads
 * @param answers by status, those that are not failures
 * @param failures the statuses of failures that are particular to it
 */
record Operation(
    String method,
    String template,
    String summary,
    Optional<Role> role,
    boolean changes,
    List<Parameter> parameters,
    Optional<Body> body,
    SortedMap<Integer, Answer> answers,
    List<Integer> failures) {
  static final String ANY_METHOD = "*";
  static final String JSON = "application/json";

  /** Where a parameter is sent. */
  enum Place {
    PATH,
    QUERY,
    HEADER
  }

  /** A parameter outside of the body; those in the path are required, others are not. */
  record Parameter(Place place, String name, Schema schema, String about) {}

  /**
   * What a request carries.
   *
   * @param schema of JSON; of anything else, there is none
   * @param required whether there must be one
   */
  record Body(String contentType, Optional<Schema> schema, boolean required) {}

  /**
   * What a successful request gets.
   *
   * @param schema of its content; empty means that it has none, or none that JSON can say
   */
  record Answer(String contentType, Optional<Schema> schema, String about) {}

  Operation {
    parameters = List.copyOf(parameters);
    answers = Collections.unmodifiableSortedMap(new TreeMap<>(answers));
    failures = List.copyOf(failures);
  }

  /** An operation that only an admin may call until {@link #role} or {@link #open} says else. */
  static Operation of(String method, String template) {
    return new Operation(
        method,
        template,
        "",
        Optional.of(Role.ADMIN),
        !method.equals("GET"),
        List.of(),
        Optional.empty(),
        new TreeMap<>(),
        List.of());
  }

  static Operation get(String template) {
    return of("GET", template);
  }

  static Operation post(String template) {
    return of("POST", template);
  }

  static Operation put(String template) {
    return of("PUT", template);
  }

  static Operation patch(String template) {
    return of("PATCH", template);
  }

  static Operation delete(String template) {
    return of("DELETE", template);
  }

  /** What takes every method. */
  static Operation any(String template) {
    return of(ANY_METHOD, template);
  }

  /** The same at another place. */
  Operation at(String otherTemplate) {
    return new Operation(
        method, otherTemplate, summary, role, changes, parameters, body, answers, failures);
  }

  Operation summary(String line) {
    return new Operation(
        method, template, line, role, changes, parameters, body, answers, failures);
  }

  Operation role(Role least) {
    return new Operation(
        method,
        template,
        summary,
        Optional.of(least),
        changes,
        parameters,
        body,
        answers,
        failures);
  }

  /** Lets in who shows no token. */
  Operation open() {
    return new Operation(
        method, template, summary, Optional.empty(), changes, parameters, body, answers, failures);
  }

  /** For methods other than GET that change nothing. */
  Operation changesNothing() {
    return new Operation(
        method, template, summary, role, false, parameters, body, answers, failures);
  }

  /** For what GET starts. */
  Operation changesSomething() {
    return new Operation(
        method, template, summary, role, true, parameters, body, answers, failures);
  }

  /** Says what a segment of the template may be; known names need no saying. */
  Operation path(String name, Schema schema, String about) {
    return plus(new Parameter(Place.PATH, name, schema, about));
  }

  Operation query(String name, Schema schema, String about) {
    return plus(new Parameter(Place.QUERY, name, schema, about));
  }

  Operation header(String name, Schema schema, String about) {
    return plus(new Parameter(Place.HEADER, name, schema, about));
  }

  Operation body(Schema schema) {
    return withBody(new Body(JSON, Optional.of(schema), true));
  }

  /** For requests that may have no body. */
  Operation optionalBody(Schema schema) {
    return withBody(new Body(JSON, Optional.of(schema), false));
  }

  /** For requests whose body is passed on as it is, whatever its length. */
  Operation rawBody(String contentType) {
    return withBody(new Body(contentType, Optional.empty(), false));
  }

  Operation answers(int status, Schema schema) {
    return answers(status, new Answer(JSON, Optional.of(schema), ""));
  }

  /** An answer without content. */
  Operation answers(int status) {
    return answers(status, new Answer("", Optional.empty(), ""));
  }

  Operation answers(int status, Answer answer) {
    SortedMap<Integer, Answer> more = new TreeMap<>(answers);
    more.put(status, answer);
    return new Operation(
        method, template, summary, role, changes, parameters, body, more, failures);
  }

  Operation fails(Integer... statuses) {
    List<Integer> all = new ArrayList<>(failures);
    all.addAll(List.of(statuses));
    return new Operation(method, template, summary, role, changes, parameters, body, answers, all);
  }

  private Operation plus(Parameter parameter) {
    List<Parameter> more = new ArrayList<>(parameters);
    more.add(parameter);
    return new Operation(method, template, summary, role, changes, more, body, answers, failures);
  }

  private Operation withBody(Body wanted) {
    return new Operation(
        method,
        template,
        summary,
        role,
        changes,
        parameters,
        Optional.of(wanted),
        answers,
        failures);
  }

  /** Every parameter, also those that only the template names. */
  List<Parameter> allParameters() {
    List<Parameter> all = new ArrayList<>();
    for (String name : Route.names(template)) {
      boolean said =
          parameters.stream()
              .anyMatch(given -> given.place() == Place.PATH && given.name().equals(name));
      if (!said) {
        all.add(new Parameter(Place.PATH, name, Schemas.inPath(name), ""));
      }
    }
    all.addAll(parameters);
    return all;
  }

  /** The status of every failure that a caller must reckon with. */
  SortedSet<Integer> allFailures() {
    SortedSet<Integer> all = new TreeSet<>(failures);
    all.addAll(List.of(400, 403, 429, 500));
    if (role.isPresent()) {
      all.add(401);
    }
    if (!Route.names(template).isEmpty()) {
      all.add(404);
    }
    if (body.isPresent()) {
      all.add(408);
    }
    if (body.flatMap(Body::schema).isPresent()) {
      all.add(413);
    }
    return all;
  }

  @Override
  public String toString() {
    return method + " " + template;
  }
}
