"""Twisted's transports as a subject of SocketLab. The protocol is in ../README.md, the mapping in README.md."""

import base64
import errno
import json
import os
import select
import time

import twisted
from twisted.internet import error, interfaces, protocol, reactor, stdio
from zope.interface import implementer

HELLO = {
    "type": "hello",
    "protocol": 1,
    "name": "twisted",
    "version": twisted.__version__,
    "calls": [
        "connect", "listen", "read", "write", "disconnect", "disconnectAfterReading", "disconnectAfterWriting",
        "disconnectAfterReadingAndWriting", "perform",
    ],
    "callbacks": ["didConnect", "didConnectToURL", "didAccept", "didRead", "didWrite", "didDisconnect"],
    "properties": ["isConnected", "isDisconnected", "connectedHost", "connectedPort", "localHost", "localPort"],
    "features": [
        "ipv6", "unix", "names", "connect-timeout", "fixed-ports", "read-timeout", "read-available", "read-length",
        "read-delimiter", "read-limit", "read-most", "queues", "reactions", "hold", "reuse", "end-without-read",
    ],
}


class Refusal(Exception):
    """What the library can't be asked in this state."""


def error_word(reason):
    """The lab's word for what the library says, which names the system's error only where a connection was not made."""
    if reason.check(error.ConnectionDone):
        return "Closed"
    if reason.check(error.TimeoutError):
        return "ConnectTimeout"
    if reason.check(error.DNSLookupError):
        return "EAI_NONAME"
    return errno.errorcode.get(getattr(reason.value, "osError", None), "Other")


class Read:
    """What a program waits for in what dataReceived brings. Twisted's own receivers, of lines and of counted strings,
    take all of a connection, so programs that mix them keep the bytes themselves."""

    def __init__(self, until, tag, length=0, delimiter="", limit=0, timeout=None):
        self.until, self.tag, self.length, self.limit, self.timeout = until, tag, length, limit, timeout
        self.delimiter = base64.b64decode(delimiter)
        self.searched = 0
        self.timer = None

    @property
    def is_possible(self):
        if self.until == "delimiter":
            return bool(self.delimiter) and not 0 < self.limit < len(self.delimiter)
        return self.until == "available" or self.length > 0

    def length_in(self, received):
        """How many of these bytes complete it, 0 if they don't."""
        if self.until == "available":
            return min(len(received), self.limit or len(received))
        if self.until == "length":
            return self.length if len(received) >= self.length else 0
        place = received.find(self.delimiter, self.searched)
        count = place + len(self.delimiter) if place >= 0 else 0
        self.searched = max(0, len(received) - len(self.delimiter) + 1)
        if self.limit and (count > self.limit or not count and len(received) >= self.limit):
            raise OverflowError("the line is longer than its limit")
        return count

    def begin(self, connection):
        """It waits, and its time begins."""
        if self.timer is None and self.timeout is not None:
            self.timer = reactor.callLater(max(0, self.timeout), self.expire, connection)

    def expire(self, connection):
        # The reactor looks at its clock before it looks at its sockets: what has arrived by now is read first.
        self.timer = reactor.callLater(0, connection.close, "ReadTimeout", "the read took too long")

    def stop(self):
        if self.timer is not None and self.timer.active():
            self.timer.cancel()


@implementer(interfaces.IPullProducer)
class Connection(protocol.Protocol):
    """One connection of a socket. A pull producer is asked for more when the transport has handed on what it had: the
    only word on writes that Twisted has."""

    def __init__(self, owner):
        self.owner = owner
        self.received = bytearray()
        self.reads, self.writes = [], []
        self.ending = None
        self.is_producing = self.is_over = False
        # Why the connection was lost; the end comes behind the bytes.
        self.lost = None

    def connectionMade(self):
        self.owner.did_connect(self)
        if self.writes and not self.is_producing and not self.is_over:
            self.produce()
        self.deliver()

    def dataReceived(self, data):
        self.received += data
        self.deliver()
        # Who does not read is not sent more.
        if not self.reads and len(self.received) > 1 << 18 and not self.is_over:
            self.transport.pauseProducing()

    def deliver(self):
        """Completes the reads that can be, one after the other."""
        while self.reads and self.transport and not self.is_over:
            wanted = self.reads[0]
            try:
                count = wanted.length_in(self.received)
            except OverflowError as overflow:
                return self.close("ReadMaxedOut", str(overflow))
            if not count:
                if self.lost:
                    break
                wanted.begin(self)
                return self.transport.resumeProducing()
            self.reads.pop(0).stop()
            data = bytes(self.received[:count])
            del self.received[:count]
            self.owner.tell("didRead", data=base64.b64encode(data).decode(), tag=wanted.tag)
            self.end_if_done()
        self.end_if_lost()

    def produce(self):
        self.is_producing = True
        self.transport.write(self.writes[0][0])
        self.transport.registerProducer(self, False)

    def resumeProducing(self):
        # Registering asks at once; what was written counts when the transport asks again.
        if self.is_over or not self.writes:
            return
        if not self.writes[0][2]:
            self.writes[0][2] = True
            return
        _, tag, _ = self.writes.pop(0)
        if self.writes:
            self.writes[0][2] = True
            self.transport.write(self.writes[0][0])
        else:
            self.is_producing = False
            self.transport.unregisterProducer()
        self.owner.tell("didWrite", tag=tag)
        self.end_if_done()

    def stopProducing(self):
        pass

    def end_if_done(self):
        if self.ending is None or self.is_over or not self.transport:
            return
        if not ("reads" in self.ending and self.reads or "writes" in self.ending and self.writes):
            self.close()

    def close(self, error=None, message=""):
        """Ends it now, in order where nothing waits to be sent."""
        if self.is_over:
            return
        self.is_over = True
        self.stop_reads()
        if self.is_producing:
            self.transport.unregisterProducer()
        if self.writes:
            self.transport.abortConnection()
        else:
            self.transport.loseConnection()
        self.owner.did_end(self, error, message)

    def stop_reads(self):
        for wanted in self.reads:
            wanted.stop()

    def connectionLost(self, reason=protocol.connectionDone):
        self.lost = reason
        self.deliver()

    def end_if_lost(self):
        """Tells the end as soon as nobody can be given the bytes before it any more."""
        if self.lost is None or self.is_over:
            return
        if self.received and not self.reads and self.lost.check(error.ConnectionDone):
            return
        self.is_over = True
        self.stop_reads()
        self.owner.did_end(self, error_word(self.lost), self.lost.getErrorMessage())


class Clients(protocol.ClientFactory):
    noisy = False

    def __init__(self, owner, connection):
        self.owner, self.connection = owner, connection

    def buildProtocol(self, address):
        return self.connection

    def clientConnectionFailed(self, connector, reason):
        if not self.connection.is_over:
            self.connection.is_over = True
            self.owner.did_end(self.connection, error_word(reason), reason.getErrorMessage())


class Servers(protocol.Factory):
    noisy = False

    def __init__(self, owner):
        self.owner = owner

    def buildProtocol(self, address):
        child = self.owner.case.new_child(self.owner.name)
        child.connection = Connection(child)
        return child.connection


class Socket:
    """One name of the case: a connection, one that is being made, a listener, or nothing."""

    def __init__(self, case, name, parent=None):
        self.case, self.name, self.parent = case, name, parent
        self.connection = self.connector = self.port = None
        self.path = None

    def tell(self, callback, **members):
        self.case.tell(self.name, callback, **members)

    # -- Calls

    def connect(self, host=None, port=0, path=None, timeout=None, **_):
        if self.connection or self.port:
            raise Refusal("the socket is in use")
        self.connection, self.path = Connection(self), path
        clients = Clients(self, self.connection)
        # The library has no connect without a timeout: a day stands for it.
        limit = 86400 if timeout is None else timeout
        if path is not None:
            self.connector = reactor.connectUNIX(path, clients, timeout=limit)
        else:
            self.connector = reactor.connectTCP(host, port, clients, timeout=limit)

    def listen(self, port=0, path=None, **_):
        if self.connection or self.port:
            raise Refusal("the socket is in use")
        if path is not None:
            self.port = reactor.listenUNIX(path, Servers(self))
            return {}
        # One socket of both families.
        self.port = reactor.listenTCP(port, Servers(self), interface="::")
        return {"port": self.port.getHost().port}

    def read(self, **wanted):
        wanted = Read(**wanted)
        if self.connection and self.connection.ending is None and wanted.is_possible:
            self.connection.reads.append(wanted)
            # Behind what is being told: a callback may read on.
            reactor.callLater(0, self.connection.deliver)

    def write(self, data, tag, **_):
        connection, data = self.connection, base64.b64decode(data)
        if not connection or connection.ending is not None or not data:
            return
        connection.writes.append([data, tag, False])
        if connection.transport and not connection.is_producing:
            connection.produce()

    def disconnect(self):
        if self.port:
            self.port.stopListening()
            self.port = None
            self.tell("didDisconnect")
        elif self.connection and not self.connection.transport:
            connection, self.connection.is_over = self.connection, True
            self.connector.stopConnecting()
            self.did_end(connection)
        elif self.connection:
            self.connection.close()

    def disconnect_after(self, *queues):
        if self.connection:
            # They add up.
            self.connection.ending = (*(self.connection.ending or ()), *queues)
            self.connection.end_if_done()

    # -- What the connection says

    def did_connect(self, connection):
        if self.parent:
            self.case.tell(self.parent, "didAccept", child=self.name)
        elif self.path is not None:
            self.tell("didConnectToURL", path=self.path)
        else:
            peer = connection.transport.getPeer()
            self.tell("didConnect", host=peer.host, port=peer.port)
        connection.end_if_done()

    def did_end(self, connection, error=None, message=""):
        if self.connection is connection:
            self.connection = self.connector = None
        self.tell("didDisconnect", **({"error": error, "message": message} if error else {}))

    # -- Properties

    def value(self, name):
        transport = self.connection.transport if self.connection else None
        if name == "isConnected":
            return transport is not None
        if name == "isDisconnected":
            return self.connection is None and self.port is None
        place = transport or self.port
        if not place or name.startswith("connected") and not transport:
            return 0 if name.endswith("Port") else None
        address = place.getPeer() if name.startswith("connected") else place.getHost()
        return getattr(address, "port", 0) if name.endswith("Port") else getattr(address, "host", None)


class Case:
    """What the lab asks between `case` and `end`."""

    def __init__(self, lab, number, names, reactions):
        self.lab, self.number = lab, number
        self.reactions = [[reaction, reaction.get("times")] for reaction in reactions]
        self.sockets = {name: Socket(self, name) for name in names}
        self.children = 0

    def new_child(self, parent):
        self.children += 1
        name = "child" if self.children == 1 else f"child{self.children}"
        self.sockets[name] = Socket(self, name, parent)
        return self.sockets[name]

    def tell(self, name, callback, **members):
        if self.lab.case is not self:
            return
        self.lab.say("callback", at=time.monotonic_ns(), socket=name, callback=callback, **members)
        for entry in self.reactions:
            reaction, left = entry
            fits = all(key not in reaction or reaction[key] == value
                       for key, value in (("socket", name), ("tag", members.get("tag")), ("child", members.get("child"))))
            if reaction["on"] == callback and fits and left != 0:
                entry[1] = None if left is None else left - 1
                for step in reaction["steps"]:
                    self.take(step)
                return

    def take(self, step):
        kind = step["type"]
        if kind == "call":
            at, result = time.monotonic_ns(), {"result": "done"}
            try:
                result.update(self.call(step["socket"], step["call"], step) or {})
            except (Refusal, ValueError, OSError, error.CannotListenError) as refusal:
                number = getattr(getattr(refusal, "socketError", refusal), "errno", None)
                result = {"result": "refused", "error": errno.errorcode.get(number, "BadConfig"), "message": str(refusal)}
            self.lab.say("result", id=step["id"], at=at, **result)
        elif kind == "get":
            value = self.sockets[step["socket"]].value(step["property"])
            self.lab.say("value", id=step["id"], at=time.monotonic_ns(), value=value)
        elif kind == "hold":
            time.sleep(step["seconds"])
        elif kind == "reach":
            self.lab.say("reached", id=step["id"], at=time.monotonic_ns())

    def call(self, name, call, members):
        one = self.sockets[name]
        arguments = {key: value for key, value in members.items() if key not in ("type", "id", "socket", "call")}
        if call == "perform":
            for each in members["calls"]:
                self.call(name, each["call"], each)
            return None
        queues = {
            "disconnectAfterReading": ("reads",), "disconnectAfterWriting": ("writes",),
            "disconnectAfterReadingAndWriting": ("reads", "writes"),
        }
        if call in queues:
            return one.disconnect_after(*queues[call])
        return getattr(one, call)(**arguments)

    def end(self):
        for one in self.sockets.values():
            if one.port:
                one.port.stopListening()
            elif one.connection and one.connection.transport:
                one.connection.is_over = True
                one.connection.transport.abortConnection()
            elif one.connector:
                one.connection.is_over = True
                one.connector.stopConnecting()


class Lab(protocol.Protocol):
    """The lab's lines, and those to it. LineOnlyReceiver joins what it has with every piece that comes: a line of
    megabytes takes it seconds."""

    case = None

    def __init__(self):
        self.pieces = []

    def say(self, kind, **members):
        # At once, and not when the reactor comes to it: a callback that holds has been told before.
        line = json.dumps({"type": kind, **members}).encode() + b"\n"
        while line:
            try:
                line = line[os.write(1, line):]
            except BlockingIOError:
                select.select([], [1], [])

    def dataReceived(self, data):
        *lines, rest = data.split(b"\n")
        for line in lines:
            self.pieces.append(line)
            whole, self.pieces = b"".join(self.pieces), []
            self.lineReceived(whole)
        self.pieces.append(rest)

    def lineReceived(self, line):
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            self.transport.write(json.dumps(HELLO).encode() + b"\n")
        elif kind == "case":
            self.case = Case(self, message["case"], message["sockets"], message["reactions"])
            self.say("ready", case=message["case"])
        elif kind == "end":
            case, self.case = self.case, None
            case.end()
            # Closed when the reactor has come round.
            reactor.callLater(0, lambda: self.say("ended", case=case.number, open=[]))
        elif self.case:
            self.case.take(message)

    def connectionLost(self, reason=protocol.connectionDone):
        # At once, whatever is still open.
        os._exit(0)


stdio.StandardIO(Lab())
reactor.run(installSignalHandlers=False)
