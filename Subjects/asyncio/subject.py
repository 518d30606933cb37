"""Python's asyncio streams as a subject of SocketLab. The protocol is in ../README.md, the mapping in README.md."""

import asyncio
import base64
import errno
import json
import os
import platform
import socket
import ssl
import sys
import tempfile
import threading
import time

HELLO = {
    "type": "hello",
    "protocol": 1,
    "name": "asyncio",
    "version": platform.python_version(),
    "calls": [
        "connect", "listen", "read", "write", "disconnect", "disconnectAfterReading", "disconnectAfterWriting",
        "disconnectAfterReadingAndWriting", "perform", "startTLS",
    ],
    "callbacks": ["didConnect", "didConnectToURL", "didAccept", "didRead", "didWrite", "didDisconnect",
                  "didSecure"],
    "properties": ["isConnected", "isDisconnected", "connectedHost", "connectedPort", "localHost", "localPort",
                   "isSecure", "peerCertificate"],
    "features": [
        "ipv6", "unix", "names", "connect-timeout", "read-timeout", "write-timeout", "read-available", "read-length",
        "read-delimiter", "read-most", "queues", "interface", "fixed-ports", "reactions", "hold", "reuse",
        "end-without-read", "system-errors", "tls-client", "tls-server", "tls1.2", "tls1.3", "tls-client-certificate",
        "tls-ciphers", "tls-alpn",
    ],
}
# What a StreamReader keeps before it stops reading, and so the longest line that readuntil finds.
LIMIT = 1 << 22


def say(kind, **members):
    print(json.dumps({"type": kind, **members}), flush=True)


def now():
    return time.monotonic_ns()


def error_word(error):
    """The lab's word for an exception of the library's."""
    if isinstance(error, socket.gaierror):
        words = {getattr(socket, name): name for name in dir(socket) if name.startswith("EAI_")}
        return words.get(error.errno, "Other")
    if isinstance(error, ssl.SSLError):
        return "SSL"
    if isinstance(error, asyncio.IncompleteReadError):
        return "Closed"
    if isinstance(error, asyncio.LimitOverrunError):
        return "ReadMaxedOut"
    if isinstance(error, ConnectionResetError) and not error.errno:
        return "ECONNRESET"
    if isinstance(error, OSError) and error.errno:
        return errno.errorcode.get(error.errno, "Other")
    return "Other"


def tls_context(role, anchors=None, chain=None, key=None, minimum=None, maximum=None, ciphers=None, alpn=None,
                peerName=None, **_):
    """What `ssl` is told of the case's certificates."""
    is_server = role == "server"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if is_server else ssl.PROTOCOL_TLS_CLIENT)
    if not is_server:
        context.check_hostname = peerName is not None
        # The lab's certificates are valid around the beginning of 2030, and `ssl` can't be told that instant: it is
        # told to look at no time (X509_V_FLAG_NO_CHECK_TIME).
        context.verify_flags |= 0x200000
    if anchors:
        context.load_verify_locations(cadata=anchors)
    if chain:
        # The library takes files only.
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(chain + key)
            file.flush()
            context.load_cert_chain(file.name)
    versions = {"tls1.2": ssl.TLSVersion.TLSv1_2, "tls1.3": ssl.TLSVersion.TLSv1_3}
    if minimum:
        context.minimum_version = versions[minimum]
    if maximum:
        context.maximum_version = versions[maximum]
    if ciphers:
        context.set_ciphers(":".join(ciphers))
    if alpn:
        context.set_alpn_protocols(alpn)
    return context


class Socket:
    """One name of the case: a stream, a listener, or nothing yet."""

    def __init__(self, case, name):
        self.case, self.name = case, name
        self.reader = self.writer = self.server = self.path = None
        self.reads, self.writes = asyncio.Queue(), asyncio.Queue()
        self.tasks = []
        self.busy = {"reads": 0, "writes": 0}
        self.ending = None
        self.is_secure = self.securing = False

    def tell(self, callback, **members):
        self.case.tell(self.name, callback, **members)

    # -- Calls

    def connect(self, host=None, port=0, path=None, interface=None, timeout=None, **_):
        self.refuse_if_in_use()
        local = (interface, 0) if interface else None
        opening = (
            asyncio.open_unix_connection(path, limit=LIMIT) if path is not None
            else asyncio.open_connection(host, port, local_addr=local, limit=LIMIT))
        self.tasks = [asyncio.ensure_future(self.open(opening, timeout, host, port, path))]

    def refuse_if_in_use(self):
        if self.tasks or self.writer or self.server:
            raise ValueError("the socket is in use")

    async def open(self, opening, timeout, host, port, path):
        try:
            reader, writer = await asyncio.wait_for(opening, timeout)
        except asyncio.TimeoutError:
            return self.end("ConnectTimeout", "the connection was not made in time")
        except OSError as error:
            # Several addresses were tried: the exception of several says so only in its text.
            return self.end(error_word(error), str(error))
        self.tasks = []
        self.adopt(reader, writer)
        if path is not None:
            return self.tell("didConnectToURL", path=path)
        # After a reset the kernel no longer knows whom the socket was connected to.
        host, port = (writer.get_extra_info("peername") or (host, port))[:2]
        self.tell("didConnect", host=host, port=port)

    def adopt(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.tasks = [
            asyncio.ensure_future(self.read_on()), asyncio.ensure_future(self.write_on()),
            asyncio.ensure_future(self.watch())]

    def listen(self, port=0, path=None, interface=None, **_):
        """The listener is there when the call returns, so the library is handed a socket that listens."""
        self.refuse_if_in_use()
        if path is not None:
            sockets = [listening(socket.AF_UNIX, path)]
            self.path = path
        elif interface:
            family = socket.AF_INET6 if ":" in interface else socket.AF_INET
            host = {"localhost": "127.0.0.1", "loopback": "127.0.0.1"}.get(interface, interface)
            sockets = [listening(family, (host, port))]
        else:
            sockets = [listening(socket.AF_INET, ("0.0.0.0", port))]
            sockets.append(listening(socket.AF_INET6, ("::", sockets[0].getsockname()[1])))
        self.server = []
        for one in sockets:
            self.tasks.append(asyncio.ensure_future(self.serve(one)))
        if path is not None:
            return {}
        host, port = sockets[0].getsockname()[:2]
        return {"port": port, "host": None if host == "0.0.0.0" else host}

    async def serve(self, one):
        start = asyncio.start_unix_server if one.family == socket.AF_UNIX else asyncio.start_server
        self.server.append(await start(self.accepted, sock=one, limit=LIMIT))

    def accepted(self, reader, writer):
        child = self.case.adopt_child()
        child.adopt(reader, writer)
        self.tell("didAccept", child=child.name)

    # Operations without a length or a delimiter would never end, and those behind a graceful disconnect are forbidden.

    def read(self, **wanted):
        if not (self.tasks or self.writer) or self.ending is not None:
            return
        if not (wanted["until"] == "available" or wanted.get(wanted["until"])):
            return
        if 0 < wanted.get("limit", 0) < len(base64.b64decode(wanted.get("delimiter", ""))):
            return
        self.busy["reads"] += 1
        self.reads.put_nowait(wanted)

    def write(self, data, tag, timeout=None, **_):
        if self.ending is not None or not data or not (self.tasks or self.writer):
            return
        data = base64.b64decode(data)
        is_given = self.writer is not None and not self.busy["writes"] and not self.securing
        if is_given:
            self.writer.write(data)
        self.busy["writes"] += 1
        self.writes.put_nowait((None if is_given else data, tag, timeout))

    def start_tls(self, **settings):
        # Behind the reads and writes that wait: the reading task takes it when the writing task has come to it.
        loop = asyncio.get_running_loop()
        ready, secured = loop.create_future(), loop.create_future()
        if self.writer and not self.busy["reads"] and not self.securing:
            # What comes from now on is for TLS. One that is under way reads for itself.
            self.writer.transport.pause_reading()
        self.securing = True
        self.reads.put_nowait((settings, ready, secured))
        self.writes.put_nowait((ready, secured))

    async def secure(self, settings, ready, secured):
        await ready
        name = settings.get("peerName")
        transport = await asyncio.get_running_loop().start_tls(
            self.writer.transport, self.writer.transport.get_protocol(), tls_context(**settings),
            server_side=settings["role"] == "server", server_hostname=name if settings["role"] == "client" else None,
            # A peer that does not answer the close_notify would be waited for: 30 s unless it is said.
            ssl_shutdown_timeout=0.2)
        # As StreamWriter.start_tls does it, which takes no role.
        self.writer._transport = transport
        self.writer._protocol._replace_writer(self.writer)
        self.is_secure, self.securing = True, False
        self.tell("didSecure")
        secured.set_result(None)

    def disconnect(self):
        if self.tasks or self.writer or self.server:
            self.end(None)

    def disconnect_after(self, *queues):
        # They add up, and on an idle socket they are nothing.
        if self.tasks or self.writer or self.server:
            self.ending = {*(self.ending or ()), *queues}
        self.end_if_done()

    def end_if_done(self):
        if self.ending is not None and self.writer and not any(self.busy[queue] for queue in self.ending):
            self.end(None)

    # -- What the streams do

    async def read_on(self):
        # A callback may end the connection and begin another, which has a task of its own.
        reader, reads = self.reader, self.reads
        try:
            while reader is self.reader:
                wanted = await reads.get()
                if isinstance(wanted, tuple):
                    await self.secure(*wanted)
                    continue
                data = await asyncio.wait_for(self.read_one(**wanted), waiting(wanted.get("timeout")))
                if reader is not self.reader:
                    return
                if not data:
                    raise asyncio.IncompleteReadError(b"", None)
                self.busy["reads"] -= 1
                self.tell("didRead", data=base64.b64encode(data).decode(), tag=wanted["tag"])
                if reader is self.reader:
                    self.end_if_done()
        except asyncio.TimeoutError:
            self.end("ReadTimeout", "the read took too long")
        except asyncio.IncompleteReadError:
            self.end("Closed", "the peer closed the connection")
        except (OSError, ValueError, asyncio.LimitOverrunError) as error:
            # An end in the handshake has no name of the system's.
            is_end = self.securing and isinstance(error, ConnectionResetError) and error.errno is None
            self.end("SSL" if is_end else error_word(error), str(error))

    async def read_one(self, until, limit=0, length=0, delimiter="", **_):
        if until == "length":
            return await self.reader.readexactly(length)
        if until == "available":
            return await self.reader.read(limit or 1 << 20)
        return await self.reader.readuntil(base64.b64decode(delimiter))

    async def write_on(self):
        writer, writes = self.writer, self.writes
        try:
            while writer is self.writer:
                item = await writes.get()
                if len(item) == 2:
                    item[0].set_result(None)
                    await item[1]
                    continue
                data, tag, timeout = item
                if data is not None:
                    self.writer.write(data)
                if self.writer.transport.get_write_buffer_size():
                    await asyncio.wait_for(self.writer.drain(), waiting(timeout))
                elif self.writer.transport.is_closing():
                    # Why it does is told to the reader in the loop's next turn.
                    await asyncio.sleep(0)
                    raise self.reader.exception() or ConnectionResetError("the transport is closing")
                # `wait_for` may return although its task was cancelled.
                if writer is not self.writer:
                    return
                self.busy["writes"] -= 1
                self.tell("didWrite", tag=tag)
                if writer is self.writer:
                    self.end_if_done()
        except asyncio.TimeoutError:
            self.end("WriteTimeout", "the write took too long")
        except OSError as error:
            self.end(error_word(error), str(error))

    async def watch(self):
        """Streams tell of an end only who reads; a program that wants to know earlier asks the reader."""
        try:
            # A read that is under way learns of it by itself, and may have the last bytes in its hands.
            while self.busy["reads"] or self.securing or not self.reader.at_eof():
                if self.reader.exception() and not self.busy["reads"]:
                    raise self.reader.exception()
                await asyncio.sleep(0.005)
            self.end("Closed", "the peer closed the connection")
        except OSError as error:
            self.end(error_word(error), str(error))

    def end(self, error, message=""):
        """Closes what is open, and tells it: the reading and the writing task may both come to an end."""
        if not (self.tasks or self.writer or self.server):
            return
        tasks, self.tasks = self.tasks, []
        for task in tasks:
            if task is not current_task():
                task.cancel()
        self.close()
        members = {"error": error, "message": message} if error else {}
        self.tell("didDisconnect", **members)

    def close(self):
        for server in self.server or []:
            server.close()
        if self.writer:
            self.writer.close()
        if self.path and os.path.exists(self.path):
            os.unlink(self.path)
        self.reader = self.writer = self.server = self.path = self.ending = None
        self.reads, self.writes = asyncio.Queue(), asyncio.Queue()
        self.busy = {"reads": 0, "writes": 0}
        self.is_secure = self.securing = False

    # -- Properties

    def get(self, name):
        here = self.writer.get_extra_info("sockname") if self.writer else None
        there = self.writer.get_extra_info("peername") if self.writer else None
        if self.server:
            here = self.server[0].sockets[0].getsockname()
        tls = self.writer.get_extra_info("ssl_object") if self.writer else None
        shown = tls.getpeercert(True) if tls else None
        values = {
            "isSecure": self.is_secure,
            "peerCertificate": {"base64": base64.b64encode(shown).decode()} if shown else None,
            "isConnected": self.writer is not None,
            "isDisconnected": not (self.tasks or self.writer or self.server),
            "localHost": here[0] if isinstance(here, tuple) else None,
            "localPort": here[1] if isinstance(here, tuple) else 0,
            "connectedHost": there[0] if isinstance(there, tuple) else None,
            "connectedPort": there[1] if isinstance(there, tuple) else 0,
        }
        return values[name]


def waiting(timeout):
    """`wait_for` with 0 gives up what it has not even begun: a turn of the loop is left to it."""
    return timeout if timeout is None else max(timeout, 0.001)


def current_task():
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def listening(family, address):
    one = socket.socket(family, socket.SOCK_STREAM)
    try:
        if family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if family != socket.AF_UNIX:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(address)
        one.listen(100)
        return one
    except OSError:
        one.close()
        raise


class Case:
    """What is between `case` and `ended`."""

    def __init__(self, message):
        self.number = message["case"]
        self.reactions = message["reactions"]
        self.sockets = {name: Socket(self, name) for name in message["sockets"]}
        self.children = 0
        self.is_over = False

    def adopt_child(self):
        self.children += 1
        name = "child" if self.children == 1 else f"child{self.children}"
        self.sockets[name] = Socket(self, name)
        return self.sockets[name]

    def tell(self, name, callback, **members):
        """A callback, and inside it the reaction to it."""
        if self.is_over:
            return
        say("callback", at=now(), socket=name, callback=callback, **members)
        for reaction in self.reactions:
            if self.fits(reaction, name, callback, members):
                if "times" in reaction:
                    reaction["times"] -= 1
                for step in reaction["steps"]:
                    self.take(step)
                return

    @staticmethod
    def fits(reaction, name, callback, members):
        return (
            reaction["on"] == callback and reaction.get("socket", name) == name and reaction.get("times", 1) > 0
            and ("tag" not in reaction or reaction["tag"] == members.get("tag"))
            and ("child" not in reaction or reaction["child"] == members.get("child")))

    def take(self, message):
        if message["type"] == "call":
            self.call(message)
        elif message["type"] == "get":
            found = self.sockets.get(message["socket"])
            say("value", id=message["id"], at=now(), value=found.get(message["property"]) if found else None)
        elif message["type"] == "hold":
            # The library runs one callback at a time: to keep one busy is to keep the loop busy.
            time.sleep(message["seconds"])
        elif message["type"] == "reach":
            say("reached", id=message["id"], at=now())

    def call(self, message):
        at, result = now(), {"result": "done"}
        target = self.sockets.get(message["socket"])
        calls = {
            "connect": Socket.connect, "listen": Socket.listen, "read": Socket.read, "write": Socket.write,
            "disconnect": Socket.disconnect, "startTLS": Socket.start_tls,
            "disconnectAfterReading": lambda one: one.disconnect_after("reads"),
            "disconnectAfterWriting": lambda one: one.disconnect_after("writes"),
            "disconnectAfterReadingAndWriting": lambda one: one.disconnect_after("reads", "writes"),
        }
        try:
            if target is None:
                raise ValueError("there is no such socket")
            for step in message["calls"] if message["call"] == "perform" else [message]:
                arguments = {key: step[key] for key in step if key not in ("type", "id", "socket", "call")}
                result.update(calls[step["call"]](target, **arguments) or {})
        except (OSError, ValueError) as error:
            result = {"result": "refused", "error": error_word(error), "message": str(error) or repr(error)}
        say("result", id=message["id"], at=at, **result)

    def end(self):
        self.is_over = True
        for one in list(self.sockets.values()):
            for task in one.tasks:
                task.cancel()
            one.tasks = []
            one.close()
        say("ended", case=self.number, open=[])


async def main():
    loop = asyncio.get_running_loop()
    lines = asyncio.Queue()

    def read_lines():
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read_lines, daemon=True).start()
    case = None
    while (line := await lines.get()) is not None:
        message = json.loads(line)
        if message["type"] == "hello":
            say(**{"kind": "hello", **{key: HELLO[key] for key in HELLO if key != "type"}})
        elif message["type"] == "case":
            case = Case(message)
            say("ready", case=case.number)
        elif message["type"] == "end":
            case.end()
        else:
            case.take(message)


asyncio.run(main())
