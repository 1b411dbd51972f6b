"""The door's client against a small server: what it sends, what it tries again, and what ends it."""

from __future__ import annotations

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from svc_trainer import pool
from svc_trainer.door import Door, DoorClosedError, DoorUnreachableError
from svc_trainer.hooks import Progress
from svc_trainer.rented import LeaseHooks, main

LEASE = {"lease_id": "lse_1", "checkpoint": {"step": 7}, "report_every_s": 0.01, "checkpoint_every_s": 30}


class _Server:
    def __init__(self, answers: dict[str, list[tuple[int, Any]]]) -> None:
        self.calls: list[tuple[str, str, bytes]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                path = self.path.removeprefix("/v1/trainer/")
                outer.calls.append((path, self.headers["Authorization"], body))
                given = answers.get(path.split("?")[0], [(404, {})])
                status, value = given.pop(0) if len(given) > 1 else given[0]
                data = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = _answer  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class DoorTest(unittest.TestCase):
    def serve(self, **answers: list[tuple[int, Any]]) -> _Server:
        server = _Server(answers)
        self.addCleanup(server.close)
        return server

    def test_shows_the_token_once_and_its_own_secret_from_then_on(self) -> None:
        server = self.serve(lease=[(503, {}), (200, LEASE)], document=[(200, b"rows")])
        door = Door(server.url, "trn_1")
        self.assertEqual(door.open_lease().checkpoint_step, 7)
        self.assertEqual(door.read_document(), b"rows")
        (_, first, given), (_, again, repeated), (_, later, _) = server.calls
        self.assertEqual((first, again), ("Bearer trn_1", "Bearer trn_1"))
        self.assertEqual(given, repeated)
        secret = json.loads(given)["secret"]
        self.assertEqual((later, len(secret)), (f"Bearer {secret}", 64))

    def test_is_ended_by_a_refusal_and_by_a_long_silence(self) -> None:
        server = self.serve(lease=[(409, {})], document=[(503, {})])
        door = Door(server.url, "trn_1", patience_seconds=0.3)
        with self.assertRaises(DoorClosedError):
            door.open_lease()
        with self.assertRaises(DoorUnreachableError):
            door.read_document()

    def test_sends_files_as_multipart(self) -> None:
        server = self.serve(files=[(200, {})])
        Door(server.url, "trn_1").send_file("checkpoint", b"\r\n--bytes", 9)
        path, _, body = server.calls[0]
        self.assertEqual(path, "files?name=checkpoint&step=9")
        self.assertIn(b'name="file"; filename="checkpoint"', body)
        self.assertIn(b"\r\n\r\n\r\n--bytes\r\n--", body)

    def test_reports_beside_the_fit_until_it_is_asked_to_stop(self) -> None:
        server = self.serve(lease=[(200, LEASE)], progress=[(200, {"state": "go_on"}), (200, {"state": "stop"})])
        door = Door(server.url, "trn_1")
        with LeaseHooks(door, door.open_lease()) as hooks:
            hooks.on_progress(Progress(8, 20, 1, 0.5, None, 0.001, 900.0, 3.0))
            for _ in range(500):
                if hooks.should_stop():
                    break
                threading.Event().wait(0.01)
            self.assertTrue(hooks.should_stop())

    def test_leases_fits_of_a_pool_until_it_is_stopped(self) -> None:
        stopping = threading.Event()
        closed: tuple[int, Any] = (410, {})
        server = self.serve(
            pool=[(503, {}), (200, {"lease": None, "ask_again_s": 0.01}), (200, {"lease": LEASE, "ask_again_s": 0.01})],
            document=[closed],
        )
        environment = {"SVC_TRAINER_URL": server.url, "SVC_POOL_TOKEN": "pool_1", "SVC_POOL_WORKER": "lab one"}
        worker = threading.Thread(target=pool.main, args=(environment, stopping))
        worker.start()
        for _ in range(500):
            if sum(path == "document" for path, _, _ in server.calls) > 1:
                break
            threading.Event().wait(0.01)
        stopping.set()
        worker.join()
        asked = [(bearer, json.loads(body)) for path, bearer, body in server.calls if path == "pool"]
        self.assertEqual({bearer for bearer, _ in asked}, {"Bearer pool_1"})
        self.assertEqual({body["worker"] for _, body in asked}, {"lab-one"})
        # A lost lease ends its fit alone; each fit has a secret of its own.
        self.assertGreater(len({body["secret"] for _, body in asked}), 2)
        read = [bearer for path, bearer, _ in server.calls if path == "document"]
        self.assertTrue(all(bearer.startswith("Bearer ") and "pool_1" not in bearer for bearer in read))

    def test_ends_when_the_token_of_its_pool_is_refused(self) -> None:
        self.assertEqual(pool.main({}), 2)
        server = self.serve(pool=[(401, {})])
        self.assertEqual(pool.main({"SVC_TRAINER_URL": server.url, "SVC_POOL_TOKEN": "pool_1"}, threading.Event()), 3)

    def test_ends_with_a_code_for_its_provider(self) -> None:
        self.assertEqual(main({}), 2)
        server = self.serve(lease=[(401, {})])
        self.assertEqual(main({"SVC_TRAINER_URL": server.url, "SVC_TRAINER_TOKEN": "trn_1"}), 3)


if __name__ == "__main__":
    unittest.main()
