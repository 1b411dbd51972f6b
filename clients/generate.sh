#!/usr/bin/env bash
# Generates and builds both clients from the routes of this tree. Python's needs SVC_CLIENT_PYTHON: a Python with
# clients/python/requirements.lock; without it, TypeScript's alone is made.
set -euo pipefail
cd "$(dirname "$0")/.."

node clients/write-document.ts
node clients/write-bodies.ts

cd clients/typescript
[ -e node_modules/.package-lock.json ] && [ ! package-lock.json -nt node_modules/.package-lock.json ] || npm ci --no-audit --no-fund
npm run --silent generate
npm run --silent generate:types
npm run --silent types
npm run --silent build
cd ../..

if [ -n "${SVC_CLIENT_PYTHON:-}" ]; then
  cd clients/python
  PATH="$(dirname "$SVC_CLIENT_PYTHON"):$PATH" "$SVC_CLIENT_PYTHON" -m openapi_python_client generate --path ../openapi.json \
    --output-path svc_client/generated --overwrite --meta none --config generator.yaml --fail-on-warning
fi
