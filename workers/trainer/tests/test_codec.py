"""The codec opens what temporal/codec.ts wrote, and refuses what it should not open."""

import asyncio
import base64
import unittest

from temporalio.api.common.v1 import Payload

from svc_trainer.codec import AesCodec

KEY = bytes(range(32))
#: Written by temporal/codec.ts under `KEY`.
WRITTEN_BY_TYPESCRIPT = Payload(
    metadata={"encoding": b"binary/encrypted", "encryption-key-id": b"ee1745549c6fcc5d"},
    data=base64.b64decode(
        "pz0NustEu+v9ZF5RBotaTkVehveiLRSybmykUG8UAqpKNWg0dX/gVhUx1pyDKjD/8XglYD5/PaAEy9dU6TuBfXpS72MPCYY="
    ),
)
PLAIN = Payload(metadata={"encoding": b"json/plain"}, data=b'{"jobId":"cmp_1"}')


class CodecTest(unittest.TestCase):
    def test_opens_what_the_service_wrote(self) -> None:
        self.assertEqual(asyncio.run(AesCodec(KEY).decode([WRITTEN_BY_TYPESCRIPT])), [PLAIN])

    def test_opens_what_it_wrote_itself(self) -> None:
        codec = AesCodec(KEY)
        sealed = asyncio.run(codec.encode([PLAIN]))
        self.assertNotIn(b"cmp_1", sealed[0].data)
        self.assertEqual(asyncio.run(codec.decode(sealed)), [PLAIN])

    def test_lets_plain_payloads_pass(self) -> None:
        self.assertEqual(asyncio.run(AesCodec(KEY).decode([PLAIN])), [PLAIN])

    def test_refuses_payloads_of_another_key(self) -> None:
        with self.assertRaisesRegex(ValueError, "no codec key has the id ee1745549c6fcc5d"):
            asyncio.run(AesCodec(bytes(32)).decode([WRITTEN_BY_TYPESCRIPT]))


if __name__ == "__main__":
    unittest.main()
