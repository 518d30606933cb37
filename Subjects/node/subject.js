"use strict";
// Node's net and tls as a subject of SocketLab. The protocol is in ../README.md, the mapping in README.md.

const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const readline = require("node:readline");
const tls = require("node:tls");

const HELLO = {
  type: "hello", protocol: 1, name: "node", version: process.versions.node,
  calls: [
    "connect", "listen", "read", "write", "disconnect", "disconnectAfterReading", "disconnectAfterWriting",
    "disconnectAfterReadingAndWriting", "perform",
  ],
  callbacks: ["didConnect", "didConnectToURL", "didAccept", "didRead", "didWrite", "didDisconnect"],
  properties: ["isConnected", "isDisconnected", "connectedHost", "connectedPort", "localHost", "localPort"],
  features: [
    "ipv6", "unix", "names", "fixed-ports", "connect-timeout", "read-available", "read-most", "read-length", "queues",
    "reactions", "hold", "reuse", "system-errors",
  ],
};
// Node can't be told the instant at which certificates are judged: `run` shows it one, where that can be done.
if (process.env.SUBJECT_HAS_TLS) {
  HELLO.calls.push("startTLS");
  HELLO.callbacks.push("didSecure");
  HELLO.properties.push("isSecure", "peerCertificate");
  HELLO.features.push(
    "tls-client", "tls-server", "tls1.2", "tls1.3", "tls-client-certificate", "tls-ciphers", "tls-alpn",
    "tls-revocation");
}

// Numbers that JavaScript would round go through as texts.
const largeNumber = /("tag": ?)(-?\d{16,})/g;
const largeText = /("tag":)"(-?\d{16,})"/g;

// A write to a full pipe must not leave lines half said.
const say = message => {
  let line = Buffer.from(JSON.stringify(message).replace(largeText, "$1$2") + "\n");
  while (line.length > 0) {
    try {
      line = line.subarray(fs.writeSync(1, line));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
};
const now = () => Number(process.hrtime.bigint());

const lookupErrors = new Set(["ENOTFOUND", "EAI_NONAME", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA"]);

/** The lab's word for an error of the library's. */
function errorWord(error) {
  // Several addresses were tried.
  if (error.errors?.length) return errorWord(error.errors[error.errors.length - 1]);
  if (lookupErrors.has(error.code)) return error.code === "ENOTFOUND" ? "EAI_NONAME" : error.code;
  // What no system call came to: Node's own, of an end in the handshake.
  if (error.code === "ECONNRESET" && error.syscall === undefined) return "SSL";
  if (error.code && os.constants.errno[error.code]) return error.code;
  if (error.syscall === undefined && (error.library || /^(ERR_TLS|ERR_SSL|CERT|UNABLE|DEPTH|SELF)/.test(error.code))) {
    return "SSL";
  }
  return "Other";
}

/** One name of the case: a stream, a listener, or nothing yet. */
class Socket {
  constructor(place, name) {
    this.case = place;
    this.name = name;
    this.forget();
  }

  forget() {
    this.stream = this.server = this.ending = this.timer = this.failure = null;
    this.isOpen = this.isSecuring = this.isSecure = this.wasAsked = false;
    this.reads = [];
    this.writes = [];
    this.pendingWrites = 0;
  }

  tell(callback, members = {}) { this.case.tell(this.name, callback, members); }

  refuseIfInUse() {
    if (this.stream || this.server) throw Object.assign(new Error("the socket is in use"), { code: "EISCONN" });
  }

  // -- Calls

  connect({ host, port, path, timeout }) {
    this.refuseIfInUse();
    const stream = path === undefined ? net.connect({ host, port }) : net.connect({ path });
    this.adopt(stream);
    if (timeout !== undefined) {
      this.timer = setTimeout(() => {
        this.failure = { error: "ConnectTimeout", message: "the connection was not made in time" };
        stream.destroy();
      }, timeout * 1000);
    }
    stream.once("connect", () => {
      clearTimeout(this.timer);
      this.isOpen = true;
      if (path !== undefined) this.tell("didConnectToURL", { path });
      // After a reset the kernel no longer knows whom the socket was connected to.
      else this.tell("didConnect", { host: stream.remoteAddress ?? host, port: stream.remotePort ?? port });
      this.serve();
    });
  }

  adopt(stream) {
    this.stream = stream;
    this.watch(stream);
  }

  watch(stream) {
    stream.on("readable", () => this.serve());
    stream.on("error", error => {
      const word = errorWord(error);
      // Errors of certificates have codes of many names.
      this.failure ??= { error: stream.encrypted && word === "Other" ? "SSL" : word, message: error.message };
    });
    stream.on("close", () => {
      if (stream !== this.stream) return;
      clearTimeout(this.timer);
      const end = this.isSecuring
        ? { error: "SSL", message: "the connection ended in the handshake" }
        : { error: "Closed", message: "the peer closed the connection" };
      const members = this.wasAsked ? {} : this.failure ?? end;
      this.forget();
      this.tell("didDisconnect", members);
    });
    // Without it the end of the stream is not told while nobody asks for bytes.
    stream.read(0);
  }

  listen({ port, path, interface: at }, answer) {
    this.refuseIfInUse();
    const server = net.createServer(stream => {
      const child = this.case.adoptChild();
      child.isOpen = true;
      child.stream = stream;
      this.tell("didAccept", { child: child.name });
      if (child.stream === stream) {
        child.watch(stream);
        child.serve();
      }
    });
    this.server = server;
    server.once("error", error => {
      this.server = null;
      answer({ result: "refused", error: errorWord(error), message: error.message });
    });
    const host = { localhost: "127.0.0.1", loopback: "127.0.0.1" }[at] ?? at;
    server.listen(path !== undefined ? { path } : { port, host }, () => {
      const place = server.address();
      answer(path !== undefined ? {} : { port: place.port, host: host === undefined ? null : place.address });
    });
    return true;
  }

  // Operations without a length would never end, and those behind a graceful disconnect are forbidden.

  read(wanted) {
    if (!this.stream || this.ending || (wanted.until === "length" && !(wanted.length > 0))) return;
    this.reads.push(wanted);
    setImmediate(() => this.serve());
  }

  write({ data, tag }) {
    if (!this.stream || this.ending || !data) return;
    this.writes.push({ data: Buffer.from(data, "base64"), tag });
    if (this.isOpen) this.send();
  }

  startTLS(settings) {
    this.reads.push({ tls: settings });
    this.writes.push({ tls: settings });
    if (this.isOpen) this.serve();
  }

  disconnect() {
    if (this.server) {
      const server = this.server;
      server.close();
      this.forget();
      setImmediate(() => this.tell("didDisconnect"));
    } else if (this.stream) {
      this.wasAsked = true;
      this.stream.destroy();
    }
  }

  disconnectAfter(...queues) {
    // They add up, and on an idle socket they are nothing.
    if (!this.stream) return;
    this.ending = [...(this.ending ?? []), ...queues];
    this.endIfDone();
  }

  endIfDone() {
    if (!this.ending || !this.isOpen || this.wasAsked) return;
    if (this.ending.includes("reads") && this.reads.length > 0) return;
    if (this.ending.includes("writes") && this.writes.length + this.pendingWrites > 0) return;
    this.wasAsked = true;
    // What is written need not be sent if only reads were waited for.
    if (this.ending.includes("writes")) this.stream.destroySoon();
    else this.stream.destroy();
  }

  // -- What the stream does

  serve() {
    if (!this.isOpen || this.wasAsked) return;
    this.send();
    while (this.isOpen && !this.wasAsked && this.reads.length > 0 && !this.reads[0].tls) {
      const data = this.take(this.reads[0]);
      if (!data) break;
      const { tag } = this.reads.shift();
      this.tell("didRead", { data: data.toString("base64"), tag });
      this.endIfDone();
    }
    if (this.isOpen && this.reads[0]?.tls && this.writes[0]?.tls && this.pendingWrites === 0) this.secure();
  }

  /** null: it is not all there. */
  take({ until, length, limit }) {
    if (until === "available") {
      return limit && this.stream.readableLength > limit ? this.stream.read(limit) : this.stream.read();
    }
    const data = this.stream.read(length);
    // At the end of the stream `read` gives what there is.
    return data && data.length < length ? null : data;
  }

  send() {
    while (this.writes.length > 0 && !this.writes[0].tls) {
      const { data, tag } = this.writes.shift();
      const stream = this.stream;
      this.pendingWrites += 1;
      stream.write(data, error => {
        if (error || stream !== this.stream) return;
        this.pendingWrites -= 1;
        this.tell("didWrite", { tag });
        this.endIfDone();
        this.serve();
      });
    }
  }

  secure() {
    const settings = this.reads.shift().tls;
    this.writes.shift();
    const plain = this.stream;
    plain.removeAllListeners("readable");
    plain.removeAllListeners("close");
    const options = {
      ca: settings.anchors, cert: settings.chain, key: settings.key, 
      crl: settings.revocationLists?.match(/-----BEGIN[^]*?-----END X509 CRL-----/g),
      minVersion: version(settings.minimum), maxVersion: version(settings.maximum),
      ciphers: settings.ciphers?.join(":"), ALPNProtocols: settings.alpn,
    };
    this.isOpen = false;
    this.isSecuring = true;
    try {
      if (settings.role === "server") this.secureAsServer(plain, options);
      else this.secureAsClient(plain, options, settings.peerName);
    } catch (error) {
      this.failure = { error: "SSL", message: error.message };
      this.watch(plain);
      plain.destroy();
    }
  }

  secureAsClient(plain, options, peer) {
    if (peer === undefined) options.checkServerIdentity = () => undefined;
    else if (net.isIP(peer)) options.host = peer;
    else options.servername = peer;
    this.stream = tls.connect({ socket: plain, ...options }, () => this.secured());
    this.watch(this.stream);
  }

  /** As the documents have it: the connection is given to a TLS server that listens nowhere. */
  secureAsServer(plain, options) {
    const server = tls.createServer(options);
    const failed = error => {
      const word = errorWord(error);
      this.failure ??= { error: word === "Other" ? "SSL" : word, message: error.message };
      plain.destroy();
    };
    server.once("tlsClientError", failed);
    server.once("secureConnection", stream => {
      plain.removeAllListeners("close");
      this.stream = stream;
      this.watch(stream);
      this.secured();
    });
    this.watch(plain);
    server.emit("connection", plain);
  }

  secured() {
    this.isSecuring = false;
    this.isOpen = this.isSecure = true;
    this.tell("didSecure");
    this.serve();
  }

  // -- Properties

  get(name) {
    const place = this.server ? this.server.address() : {};
    const shown = () => this.stream?.getPeerCertificate?.(false)?.raw;
    switch (name) {
      case "isConnected": return (this.isOpen || this.isSecure) && !this.stream?.destroyed;
      case "isDisconnected": return (!this.stream || this.stream.destroyed) && !this.server;
      case "isSecure": return this.isSecure;
      case "connectedHost": return this.stream?.remoteAddress ?? null;
      case "connectedPort": return this.stream?.remotePort ?? 0;
      case "localHost": return this.stream?.localAddress ?? place.address ?? null;
      case "localPort": return this.stream?.localPort ?? place.port ?? 0;
      case "peerCertificate": return shown() ? { base64: shown().toString("base64") } : null;
      default: return null;
    }
  }

  close() {
    const { stream, server } = this;
    clearTimeout(this.timer);
    this.forget();
    stream?.destroy();
    server?.close();
  }
}

const version = name => name && name.replace("tls", "TLSv").replace("v1.0", "v1");

/** What is between `case` and `ended`. */
class Case {
  constructor({ case: number, sockets, reactions }) {
    this.number = number;
    this.reactions = reactions;
    this.sockets = new Map(sockets.map(name => [name, new Socket(this, name)]));
    this.children = 0;
    this.isOver = false;
  }

  adoptChild() {
    this.children += 1;
    const name = this.children === 1 ? "child" : `child${this.children}`;
    this.sockets.set(name, new Socket(this, name));
    return this.sockets.get(name);
  }

  /** A callback, and inside it the reaction to it. */
  tell(socket, callback, members) {
    if (this.isOver) return;
    say({ type: "callback", at: now(), socket, callback, ...members });
    const reaction = this.reactions.find(one =>
      one.on === callback && (one.socket ?? socket) === socket && (one.times ?? 1) > 0
      && (one.tag === undefined || one.tag === members.tag)
      && (one.child === undefined || one.child === members.child));
    if (!reaction) return;
    if (reaction.times !== undefined) reaction.times -= 1;
    for (const step of reaction.steps) if (!this.isOver) this.take(step);
  }

  take(message) {
    switch (message.type) {
      case "call": this.call(message); break;
      case "get": {
        const value = this.sockets.get(message.socket)?.get(message.property) ?? null;
        say({ type: "value", id: message.id, at: now(), value });
        break;
      }
      // The library runs one callback at a time: to keep one busy is to keep the loop busy.
      case "hold": Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, message.seconds * 1000); break;
      case "reach": say({ type: "reached", id: message.id, at: now() }); break;
    }
  }

  call(message) {
    const at = now();
    const answer = result => {
      if (!this.isOver) say({ type: "result", id: message.id, at, result: "done", ...result });
    };
    try {
      const target = this.sockets.get(message.socket);
      if (!target) throw new Error("there is no such socket");
      const steps = message.call === "perform" ? message.calls : [message];
      const waits = steps.map(step => this.make(step, target, answer)).some(Boolean);
      if (!waits) answer({});
    } catch (error) {
      answer({ result: "refused", error: errorWord(error), message: error.message });
    }
  }

  make(step, target, answer) {
    switch (step.call) {
      case "disconnectAfterReading": return target.disconnectAfter("reads");
      case "disconnectAfterWriting": return target.disconnectAfter("writes");
      case "disconnectAfterReadingAndWriting": return target.disconnectAfter("reads", "writes");
      default: return target[step.call](step, answer);
    }
  }

  end() {
    this.isOver = true;
    for (const socket of this.sockets.values()) socket.close();
    say({ type: "ended", case: this.number, open: [] });
  }
}

let current = null;
readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", line => {
  const message = JSON.parse(line.replace(largeNumber, '$1"$2"'));
  switch (message.type) {
    case "hello": say(HELLO); break;
    case "case":
      current = new Case(message);
      say({ type: "ready", case: current.number });
      break;
    case "end":
      current.end();
      break;
    default: current.take(message);
  }
}).on("close", () => process.exit(0));
