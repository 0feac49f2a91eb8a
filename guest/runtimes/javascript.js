// The JavaScript runtime kernel of a forkd guest: executes one request at a time and keeps its state.
//
// Descriptor 3 carries requests, events and answers as python.py says; descriptor 4 carries reseeds after a
// fork. Those are served by a thread of their own, so that code that runs does not hold them up. Code runs in
// V8's REPL mode: `const` and `let` last, may be declared again, and `await` is allowed at the top.
"use strict";

const crypto = require("crypto");
const fs = require("fs");
const inspector = require("inspector");
const net = require("net");
const path = require("path");
const util = require("util");
const vm = require("vm");
const { createRequire } = require("module");
const { pathToFileURL } = require("url");
const { Writable } = require("stream");
const { SHARE_ENV, Worker } = require("worker_threads");

const REQUESTS = 3;
const EVENT = 0x80000000;
const CHUNK = 16 * 1024;
const FORMAT_LIMIT = 10 * 1024 * 1024;

let count = 0;
let running = false;
let interruption = null;

// An interrupt may end the code in the middle of this: what is left of a message goes before the next one.
let unsent = Buffer.alloc(0);

// Waits while nobody takes what was sent before: so a slow reader slows the code down and fills no memory.
function send(body, flag) {
  const message = Buffer.alloc(4 + body.length);
  message.writeUInt32LE((body.length | flag) >>> 0, 0);
  body.copy(message, 4);
  unsent = unsent.length === 0 ? message : Buffer.concat([unsent, message]);
  while (unsent.length > 0) {
    try {
      unsent = unsent.subarray(fs.writeSync(REQUESTS, unsent));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

function tell(event) {
  if (running) send(Buffer.from(JSON.stringify(event) + "\n"), EVENT);
}

// What is written while no code is executed is nobody's. A stream's own write would wait for ever for one that
// an interrupt ended; this one remembers nothing.
function output(type) {
  const stream = new Writable({ write: (chunk, encoding, done) => done() });
  stream.write = (chunk, encoding, done) => {
    const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    for (let at = 0; at < text.length; at += CHUNK) tell({ type, text: text.slice(at, at + CHUNK) });
    const told = typeof encoding === "function" ? encoding : done;
    if (told) process.nextTick(told);
    return true;
  };
  return stream;
}

// Math.random with a state that the thread below can change at any time.
const shared = new Int32Array(new SharedArrayBuffer(5 * 4));
const state = new Uint32Array(4);
let generation = -1;

function random32() {
  if (generation !== Atomics.load(shared, 4)) {
    generation = Atomics.load(shared, 4);
    for (let i = 0; i < 4; i++) state[i] = Atomics.load(shared, i);
    state[0] |= 1;
  }
  // xorshift128
  let t = state[3];
  const s = state[0];
  state[3] = state[2];
  state[2] = state[1];
  state[1] = s;
  t ^= t << 11;
  t ^= t >>> 8;
  state[0] = t ^ s ^ (s >>> 19);
  return state[0];
}

// OpenSSL's generator would be a clone in every fork of this guest, and the kernel's is none: that one is asked.
function fromKernel(view) {
  const bytes = new Uint8Array(view.buffer || view, view.byteOffset || 0, view.byteLength);
  const source = fs.openSync("/dev/urandom", "r");
  for (let at = 0; at < bytes.length; ) at += fs.readSync(source, bytes, at, bytes.length - at, null);
  fs.closeSync(source);
  return view;
}

function freshRandomness() {
  fromKernel(shared);
  Math.random = () => ((random32() >>> 5) * 67108864 + (random32() >>> 6)) / 9007199254740992;
  crypto.randomBytes = (size, done) => {
    const bytes = fromKernel(Buffer.alloc(size));
    return done ? void process.nextTick(done, null, bytes) : bytes;
  };
  const made = { getRandomValues: fromKernel, randomUUID: () => formatUuid(fromKernel(Buffer.alloc(16))) };
  for (const [name, value] of Object.entries(made)) {
    Object.defineProperty(Object.getPrototypeOf(crypto.webcrypto), name, { value, configurable: true, writable: true });
  }
  crypto.randomUUID = made.randomUUID;
}

function formatUuid(bytes) {
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const RESEEDER = `
  const shared = require("worker_threads").workerData;
  const forks = new (require("net").Socket)({ fd: 4 });
  let bytes = Buffer.alloc(0);
  forks.on("data", (more) => {
    bytes = Buffer.concat([bytes, more]);
    while (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32LE(0)) {
      const size = bytes.readUInt32LE(0);
      reseed(JSON.parse(bytes.subarray(4, 4 + size)));
      bytes = bytes.subarray(4 + size);
    }
  });
  function reseed(request) {
    const seed = Buffer.from(request.seed, "hex");
    for (let i = 0; i < 4; i++) Atomics.store(shared, i, seed.readInt32LE(4 * i));
    Atomics.add(shared, 4, 1);
    process.env.FORKD_SANDBOX_ID = request.sandbox_id;
    const text = Buffer.from("Math.random\\ncrypto");
    const answer = Buffer.alloc(9 + text.length);
    answer.writeUInt32LE(5 + text.length, 0);
    answer.writeUInt32LE(request.number, 4);
    text.copy(answer, 9);
    forks.write(answer);
  }`;

function shorten(text) {
  return text.length <= FORMAT_LIMIT ? text : text.slice(0, FORMAT_LIMIT) + "\n[forkd: the rest was dropped]";
}

function formats(value) {
  const found = { text: shorten(util.inspect(value)) };
  if (value !== null && typeof value === "object") {
    for (const name of ["html", "markdown", "svg", "png", "jpeg", "latex", "json", "javascript", "pdf"]) {
      const method = value["_repr_" + name + "_"];
      const data = typeof method === "function" ? method.call(value) : undefined;
      const text = Buffer.isBuffer(data) ? data.toString("base64") : name === "json" ? JSON.stringify(data) : data;
      if (typeof text === "string" && text.length <= FORMAT_LIMIT / 2) found[name] = text;
    }
  }
  return found;
}

// The stack down to where ours begins.
function userStack(error) {
  const lines = String((error && error.stack) || error).split("\n");
  const ours = lines.findIndex((line) => /^\s+at .*(node:inspector|javascript\.js)/.test(line));
  return (ours < 0 ? lines : lines.slice(0, ours)).join("\n");
}

function tellFailure(error) {
  let event = { type: "failure", name: "Error", value: "<its text threw>", traceback: "" };
  try {
    const named = error !== null && typeof error === "object" && error.name !== undefined;
    const value = named ? error.message : util.inspect(error);
    const name = named ? error.name : "Uncaught";
    event = { type: "failure", name: String(name), value: shorten(String(value)), traceback: shorten(userStack(error)) };
  } catch (nested) {
    // what user code throws may throw again when it is looked at
  }
  tell(event);
}

// V8 finds no modules for code that the inspector evaluates: imports become calls of this.
function load(name) {
  if (/^(\.{0,2}\/)/.test(name)) return import(pathToFileURL(path.resolve(name)).href);
  try {
    const found = requireHere().resolve(name);
    return import(path.isAbsolute(found) ? pathToFileURL(found).href : name);
  } catch (error) {
    return import(name);
  }
}

function requireHere() {
  return createRequire(path.join(process.cwd(), "code.js"));
}

const STATIC_IMPORT = /(^[ \t]*|;[ \t]*)import\s+(?:([\w$]+)\s*,?\s*)?(?:\*\s*as\s+([\w$]+)\s+|(\{[^}]*\})\s*)?(?:from\s*)?(["'][^"'\n]+["'])/gm;

function withoutImports(code) {
  if (!/\bimport\b/.test(code)) return code;
  const statics = code.replace(STATIC_IMPORT, (_, space, main, all, some, name) => {
    const parts = [];
    if (main) parts.push("default: " + main);
    if (some) parts.push(some.slice(1, -1).replace(/\bas\b/g, ":"));
    const loaded = `await __forkd_load(${name})`;
    if (all) return `${space}const ${all} = ${loaded}${main ? `, ${main} = ${all}.default` : ""};`;
    return `${space}${parts.length ? `const { ${parts.join(", ")} } = ` : ""}${loaded};`;
  });
  return statics.replace(/(^|[^.\w$"'`])import(\s*\()/g, "$1__forkd_load$2");
}

const session = new inspector.Session();
const KEPT = Symbol("forkd");

// A promise of the code's outcome. The code's synchronous part runs in here and can be interrupted.
function start(code) {
  return new Promise((resolve, reject) => {
    const options = { expression: withoutImports(code), replMode: true, awaitPromise: true, userGesture: true };
    globalThis[KEPT] = () =>
      session.post("Runtime.evaluate", options, (refusal, answer) => (refusal ? reject(refusal) : resolve(answer)));
    try {
      run.runInThisContext({ breakOnSigint: true });
    } catch (error) {
      reject(error);
    }
  });
}
globalThis.__forkd_run = () => globalThis[KEPT]();
const run = new vm.Script("__forkd_run()", { filename: "javascript.js" });

// Values live in this process: the inspector names them, and a function that is called with one gets it.
function valueOf(remote) {
  if (!("objectId" in remote)) {
    if ("unserializableValue" in remote) return vm.runInThisContext("(" + remote.unserializableValue + ")");
    return remote.type === "undefined" ? undefined : remote.value;
  }
  let value;
  globalThis[KEPT] = (given) => (value = given);
  session.post("Runtime.callFunctionOn", {
    functionDeclaration: "function () { globalThis.__forkd_take(this); }",
    objectId: remote.objectId,
  });
  session.post("Runtime.releaseObject", { objectId: remote.objectId });
  return value;
}
globalThis.__forkd_take = (value) => globalThis[KEPT](value);
globalThis.__forkd_load = load;
for (const name of ["__forkd_run", "__forkd_take", "__forkd_load"]) Object.defineProperty(globalThis, name, { enumerable: false });

function interrupted() {
  const error = new Error("the execution was interrupted");
  error.name = "Interrupted";
  error.stack = "Interrupted: the execution was interrupted";
  return error;
}

async function execute(request) {
  running = true;
  tell({ type: "begin", count: ++count });
  const before = {};
  try {
    for (const [key, value] of Object.entries(request.env || {})) {
      before[key] = process.env[key];
      process.env[key] = value;
    }
    const stopped = new Promise((_, reject) => (interruption = reject));
    const answer = await Promise.race([start(request.code), stopped]);
    if (answer.exceptionDetails) {
      const details = answer.exceptionDetails;
      throw details.exception ? valueOf(details.exception) : new Error(details.text);
    }
    const value = valueOf(answer.result);
    if (value !== undefined) tell({ type: "result", main: true, formats: formats(value) });
  } catch (error) {
    tellFailure(error && error.code === "ERR_SCRIPT_EXECUTION_INTERRUPTED" ? interrupted() : error);
  }
  interruption = null;
  for (const [key, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[key];
    else process.env[key] = value;
  }
  running = false;
  return { end: true };
}

function display(...values) {
  for (const value of values) tell({ type: "result", main: false, formats: formats(value) });
}

async function respond(body) {
  let answer;
  try {
    const request = JSON.parse(body);
    if (request.mode !== "execute" || typeof request.code !== "string") throw new Error("code to execute is wanted");
    answer = await execute(request);
  } catch (error) {
    answer = { result: null, error: "bad request: " + error, traceback: null };
  }
  send(Buffer.from(JSON.stringify(answer)), 0);
}

function takeRequests() {
  let pieces = [];
  let size = 0;
  const requests = new net.Socket({ fd: REQUESTS });
  requests.on("end", () => process.exit(0)).on("error", () => process.exit(1));
  requests.on("data", (more) => {
    pieces.push(more);
    size += more.length;
    if (pieces.length > 1 && pieces[0].length < 4) pieces = [Buffer.concat(pieces)];
    if (size < 4 || size < 4 + pieces[0].readUInt32LE(0)) return;
    const body = Buffer.concat(pieces).subarray(4);
    pieces = [];
    size = 0;
    respond(body);
  });
}

function serve() {
  for (const type of ["stdout", "stderr"]) {
    Object.defineProperty(process, type, { value: output(type), configurable: true, writable: true });
  }
  Object.assign(globalThis, { require: requireHere(), display });
  freshRandomness();
  new Worker(RESEEDER, { eval: true, workerData: shared, env: SHARE_ENV, stdout: true, stderr: true }).unref();
  session.connect();
  process.on("SIGINT", () => interruption && interruption(interrupted()));
  process.on("uncaughtException", tellFailure);
  process.on("unhandledRejection", tellFailure);
  send(Buffer.from(JSON.stringify({ runtime: "javascript", version: process.version })), 0);
  takeRequests();
}

serve();
