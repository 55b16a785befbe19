#!/usr/bin/env python3
"""An HTTP server that misbehaves in known ways, for tests of the probe of objects. Standard library only.

Prints "port N" when ready. What it does is in the path; SIZE is the length of the object in bytes:

  /plain/SIZE             serves ranges
  /slow/MS/SIZE           the first byte comes MS milliseconds late
  /credits/S/MS/SIZE      the first byte comes MS milliseconds late, and four times as late from S seconds after the first
                          request on
  /slots/K/MS/SIZE        K requests at a time are served, MS milliseconds each; the others wait
  /cut/K/SIZE             every K-th request is cut in the middle of its body
  /storm/K/SIZE           K requests are served, all later ones get 503
  /all503/SIZE            503 with Retry-After
  /no_range/SIZE          ignores Range
  /flaky/K/SIZE           every K-th answer is 503
  /moved/PATH             302 to /PATH
  /loop                   302 to itself
  /silent                 never answers
  /stats                  JSON: requests, bodies' bytes, connections, signatures seen

and, as a store of S3, BUCKET after the first slash:

  /moved-bucket           in region eu-test-1: 301 with x-amz-bucket-region for signatures of other regions
  /lost-bucket            301 without saying where to
  /denied-list-bucket     may not be listed; holds the object "data.bin"
  /deep-bucket            an answer of XML 100,000 elements deep
"""
import http.server
import json
import re
import socket
import struct
import threading
import time

ZEROS = bytes(1 << 20)


class Shared:
    lock = threading.Lock()
    counts = {}
    requests = 0
    body_bytes = 0
    connections = 0
    signatures = set()
    slots = {}
    credits_until = {}


def count(name):
    with Shared.lock:
        Shared.counts[name] = Shared.counts.get(name, 0) + 1
        return Shared.counts[name]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def setup(self):
        super().setup()
        with Shared.lock:
            Shared.connections += 1

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.body(body)

    def body(self, data):
        self.wfile.write(data)
        self.wfile.flush()
        with Shared.lock:
            Shared.body_bytes += len(data)

    def object(self, size, ranges=True, cut=False, sized=True):
        first, last = 0, size - 1
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")) if ranges else None
        if asked:
            first, last = int(asked[1]), min(int(asked[2]), size - 1)
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size if sized else '*'}")
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        left = last - first + 1
        if cut:
            self.body(ZEROS[: left // 2])
            # An abrupt end: the peer gets a reset, not an orderly close.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            return
        while left > 0:
            part = min(left, len(ZEROS))
            self.body(ZEROS[:part])
            left -= part

    def do_GET(self):
        authorization = self.headers.get("Authorization", "")
        with Shared.lock:
            Shared.requests += 1
            found = re.search(r"Signature=([0-9a-f]+)", authorization)
            if found:
                Shared.signatures.add(found[1])
        path = self.path.split("?")[0]
        words = path.strip("/").split("/")
        try:
            if "-bucket" in words[0]:
                self.bucket(words, authorization)
            else:
                self.fault(words)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def fault(self, words):
        kind, numbers = words[0], [int(word) for word in words[1:] if word.isdigit()]
        if kind == "stats":
            with Shared.lock:
                said = {"requests": Shared.requests, "body_bytes": Shared.body_bytes,
                        "connections": Shared.connections, "signatures": sorted(Shared.signatures)}
            self.answer(200, json.dumps(said).encode())
        elif kind == "plain":
            self.object(numbers[0])
        elif kind == "unsized":
            self.object(numbers[0], sized=False)
        elif kind == "slow":
            time.sleep(numbers[0] / 1e3)
            self.object(numbers[1])
        elif kind == "credits":
            with Shared.lock:
                until = Shared.credits_until.setdefault(self.path, time.monotonic() + numbers[0])
            time.sleep(numbers[1] / 1e3 * (1 if time.monotonic() < until else 4))
            self.object(numbers[2])
        elif kind == "slots":
            with Shared.lock:
                slots = Shared.slots.setdefault(self.path, threading.Semaphore(numbers[0]))
            with slots:
                time.sleep(numbers[1] / 1e3)
            self.object(numbers[2])
        elif kind == "cut":
            self.object(numbers[1], cut=count(self.path) % numbers[0] == 0)
        elif kind == "storm":
            if count(self.path) <= numbers[0]:
                self.object(numbers[1])
            else:
                self.answer(503, b"<Error><Code>SlowDown</Code></Error>")
        elif kind == "flaky":
            if count(self.path) % numbers[0] == 0:
                self.answer(503, b"<Error><Code>SlowDown</Code></Error>")
            else:
                self.object(numbers[1])
        elif kind == "all503":
            self.answer(503, b"<Error><Code>SlowDown</Code></Error>", [("Retry-After", "0")])
        elif kind == "no_range":
            self.object(numbers[0], ranges=False)
        elif kind == "moved":
            self.answer(302, headers=[("Location", "/" + "/".join(words[1:]))])
        elif kind == "loop":
            self.answer(302, headers=[("Location", "/loop")])
        elif kind == "silent":
            time.sleep(3600)
        else:
            self.answer(404, b"no such thing")

    def bucket(self, words, authorization):
        name, key = words[0], "/".join(words[1:])
        if name == "moved-bucket" and "/eu-test-1/s3/" not in authorization:
            self.answer(301, b"<Error><Code>PermanentRedirect</Code></Error>", [("x-amz-bucket-region", "eu-test-1")])
        elif name == "lost-bucket":
            self.answer(301, b"<Error><Code>PermanentRedirect</Code></Error>")
        elif name == "deep-bucket":
            self.answer(200, b"<a>" * 100000)
        elif name == "denied-list-bucket" and not key:
            self.answer(403, b"<Error><Code>AccessDenied</Code></Error>")
        elif key:
            self.object(4 << 20)
        else:
            self.answer(200, b"<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>data.bin</Key>"
                             b"<Size>4194304</Size></Contents></ListBucketResult>")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


server = Server(("127.0.0.1", 0), Handler)
print("port", server.server_address[1], flush=True)
server.serve_forever()
