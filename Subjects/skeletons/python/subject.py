"""NAME as a subject of SocketLab: what is here works, and offers little. The protocol is in Subjects/README.md."""

import base64
import errno
import json
import socket
import sys
import time

# What is not claimed is not asked. Add calls, callbacks and features as the library gets them.
HELLO = {
    "type": "hello", "protocol": 1, "name": "NAME", "version": "0",
    "calls": ["connect", "write", "disconnect"],
    "callbacks": ["didConnect", "didWrite", "didDisconnect"],
    "properties": ["isConnected"], "features": [],
}

case, sockets, reactions = None, {}, []


def say(kind, **members):
    print(json.dumps({"type": kind, **members}), flush=True)


def tell(name, callback, **members):
    """A callback. A subject that claims `reactions` takes the steps of the one that fits here, before it returns."""
    say("callback", at=time.monotonic_ns(), socket=name, callback=callback, **members)


def call(name, call, arguments):
    """Makes a call; what it sets off is told by callbacks. Put the library in place of `socket`."""
    if call == "connect":
        sockets[name] = socket.create_connection((arguments["host"], arguments["port"]), arguments.get("timeout"))
        host, port = sockets[name].getpeername()[:2]
        tell(name, "didConnect", host=host, port=port)
    elif call == "write":
        sockets[name].sendall(base64.b64decode(arguments["data"]))
        tell(name, "didWrite", tag=arguments["tag"])
    elif call == "disconnect" and sockets[name]:
        sockets[name].close()
        sockets[name] = None
        tell(name, "didDisconnect")


def answer(message):
    at, result = time.monotonic_ns(), {"result": "done"}
    try:
        call(message["socket"], message["call"], message)
    except OSError as error:
        result = {"result": "refused", "error": errno.errorcode.get(error.errno, "Other"), "message": str(error)}
    say("result", id=message["id"], at=at, **result)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(**{("kind" if key == "type" else key): HELLO[key] for key in HELLO})
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
                one.close()
        say("ended", case=case, open=[])
