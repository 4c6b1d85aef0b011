"""A receiver of webhooks: verifies the signature of the raw body, keeps each event once, answers, and then handles it."""
import json
import os
import sqlite3
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

DATABASE = os.environ.get("DATABASE", "webhooks.db")
MAX_BODY_BYTES = 1024 * 1024

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
arrived = threading.Event()


def execute(statement, *values):
    connection = sqlite3.connect(DATABASE, timeout=10)
    try:
        with connection:
            return connection.execute(statement, values).fetchall()
    finally:
        connection.close()


def handle(event):
    """Your part. After a crash in the middle it is called again: make it idempotent."""
    print(f"handled {event['type']} {event['id']} of {event['subject']}", flush=True)


def handle_waiting():
    while arrived.wait():
        arrived.clear()
        while rows := execute("select id, event from inbox where not handled order by rowid limit 1"):
            [(event_id, event)] = rows
            handle(json.loads(event))
            execute("update inbox set handled = 1 where id = ?", event_id)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= MAX_BODY_BYTES:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(length)
        try:
            webhook.verify(body, dict(self.headers))
        except (WebhookVerificationError, ValueError):
            return self.answer(400)
        # a repeat has the same id and is kept once
        execute("insert or ignore into inbox (id, event) values (?, ?)", self.headers["webhook-id"], body.decode())
        self.answer(204)
        arrived.set()

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


execute("create table if not exists inbox (id text primary key, event text not null, handled int not null default 0)")
server = ThreadingHTTPServer((os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "3000"))), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"listening on http://{server.server_address[0]}:{server.server_address[1]}", flush=True)
arrived.set()  # what a crash left
handle_waiting()
