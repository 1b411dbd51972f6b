"""Runs the checks of scim2-tester against a server: address and token are its arguments, a JSON list its answer.

Needs what requirements.lock names (`pip install --require-hashes -r requirements.lock`).
"""

import json
import sys
from uuid import uuid4

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server, filling
from scim2_tester.checkers import patch_add, patch_replace

random_value = filling.generate_random_value


def value_for(context, *args, **kwargs):
    """User names are e-mail addresses here, which the schema has no way to say."""
    path = kwargs.get("path", args[0] if args else None)
    if str(path).endswith("userName"):
        return f"{uuid4()}@{uuid4()}.test"
    return random_value(context, *args, **kwargs)


for module in (filling, patch_add, patch_replace):
    module.generate_random_value = value_for

address, token = sys.argv[1:3]
client = SyncSCIMClient(
    Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=60)
)
client.discover()
print(
    json.dumps(
        [
            {"title": result.title, "status": result.status.name, "reason": result.reason}
            for result in check_server(client)
        ]
    )
)
