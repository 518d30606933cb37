"""NAME as a subject of SocketLab: what is here works, and offers little. The protocol is in Subjects/README.md."""

import base64
import collections
import errno
import json
import os
import select
import socket
import sys
import time

# What is not claimed is not asked. Add calls, callbacks and features as the library gets them.
HELLO = {
    "protocol": 1, "name": "NAME", "version": "0",
    "calls": ["connect", "read", "write", "disconnect"],
    "callbacks": ["didConnect", "didRead", "didWrite", "didDisconnect"],
    "properties": ["isConnected"], "features": ["read-available", "read-length"],
}

case, sockets, reactions = None, {}, []


def say(kind, **members):
    print(json.dumps({"type": kind, **members}), flush=True)


def tell(name, callback, **members):
    """A callback. A subject that claims `reactions` takes the steps of the one that fits here, before it returns."""
    say("callback", at=time.monotonic_ns(), socket=name, callback=callback, **members)


class Connection:
    """A connection, its reads that wait, and what came for them."""

    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port))
        self.reads, self.held = collections.deque(), b""


def call(name, call, arguments):
    """Makes a call; what it sets off is told by callbacks. Put the library in place of `socket`."""
    one = sockets[name]
    if call == "connect":
        host, port = arguments["host"], arguments["port"]
        sockets[name] = Connection(host, port)
        tell(name, "didConnect", host=host, port=port)
    elif call == "read" and one:
        # A read of no bytes can't complete.
        if arguments["until"] == "available" or arguments.get("length", 0) > 0:
            one.reads.append(arguments)
    elif call == "write" and one:
        one.socket.sendall(base64.b64decode(arguments["data"]))
        tell(name, "didWrite", tag=arguments["tag"])
    elif call == "disconnect" and one:
        end(name)


def end(name, **error):
    sockets[name].socket.close()
    sockets[name] = None
    tell(name, "didDisconnect", **error)


def receive(name):
    """Bytes have come, or the end; somebody reads."""
    one = sockets[name]
    try:
        data = one.socket.recv(65536)
    except OSError as error:
        return end(name, error=errno.errorcode.get(error.errno, "Other"), message=str(error))
    if not data:
        return end(name, error="Closed", message="the peer closed the connection")
    one.held += data
    serve(name)


def serve(name):
    """Completes the reads for which enough is there, in their order."""
    one = sockets[name]
    while one and one.reads and one.held:
        length = one.reads[0].get("length") or len(one.held)
        if len(one.held) < length:
            return
        data, one.held = one.held[:length], one.held[length:]
        tell(name, "didRead", data=base64.b64encode(data).decode(), tag=one.reads.popleft()["tag"])


def answer(message):
    at, result = time.monotonic_ns(), {"result": "done"}
    try:
        call(message["socket"], message["call"], message)
    except OSError as error:
        result = {"result": "refused", "error": errno.errorcode.get(error.errno, "Other"), "message": str(error)}
    say("result", id=message["id"], at=at, **result)
    if sockets.get(message["socket"]):
        serve(message["socket"])


def hear(message):
    global case, sockets, reactions
    if message["type"] == "hello":
        say("hello", **HELLO)
    elif message["type"] == "case":
        case, sockets, reactions = message["case"], dict.fromkeys(message["sockets"]), message["reactions"]
        say("ready", case=case)
    elif message["type"] == "call":
        answer(message)
    elif message["type"] == "get":
        say("value", id=message["id"], at=time.monotonic_ns(), value=sockets.get(message["socket"]) is not None)
    elif message["type"] == "end":
        for one in sockets.values():
            if one:
                one.socket.close()
        sockets = {}
        say("ended", case=case, open=[])


# The lab's lines and the connections that somebody reads from, whichever comes first.
lines = b""
while True:
    reading = {one.socket: name for name, one in sockets.items() if one and one.reads}
    ready, _, _ = select.select([sys.stdin, *reading], [], [])
    if sys.stdin in ready:
        data = os.read(sys.stdin.fileno(), 65536)
        if not data:
            break
        *whole, lines = (lines + data).split(b"\n")
        for line in whole:
            hear(json.loads(line))
    for one, name in reading.items():
        # A line may have ended it.
        if one in ready and sockets.get(name) and sockets[name].socket is one:
            receive(name)
