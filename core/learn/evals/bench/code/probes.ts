import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAM_BYTES, type CodeSandbox } from './sandbox.ts'

/** Ways out of a sandbox that are tried before it is used. */
export const ESCAPES = ['files', 'environment', 'sockets', 'children', 'javascript', 'memory', 'endless_loop'] as const
export type Escape = (typeof ESCAPES)[number]

/** Names that an interpreter sets itself or that hold nothing. */
const PLAIN_NAMES = [
  'PATH',
  'HOME',
  'PWD',
  'OLDPWD',
  'SHLVL',
  'LANG',
  'LC_CTYPE',
  'LC_ALL',
  'USER',
  'LOGNAME',
  'TERM',
  'SHELL',
  '_',
]
const PROBE_MS = 10_000
const LOOP_MS = 500

/**
 * Tries the ways out of a sandbox and returns those that were open. Something is there to be found by each: a file, the variables
 * of this process, a listening socket. Throws an `Error` when the sandbox does not start.
 */
export async function findEscapes(sandbox: CodeSandbox, signal: AbortSignal): Promise<readonly Escape[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-sandbox-'))
  const secret = join(folder, 'secret')
  const server = createServer((socket) => socket.destroy())
  let connections = 0
  server.on('connection', () => connections++)
  try {
    await writeFile(secret, 'secret')
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const names = Object.keys(process.env).filter((name) => !PLAIN_NAMES.includes(name))
    const given = { secret, names, port: portOf(server.address()) }
    const outside = await sandbox.run({ program: reachOut(given), timeoutMs: PROBE_MS, signal })
    const heap = await sandbox.run({ program: fillMemory(), timeoutMs: PROBE_MS, signal })
    const loop = await sandbox.run({ program: 'while True:\n    pass\n', timeoutMs: LOOP_MS, signal })
    const open = outside === 'passed' ? [] : ESCAPES.filter((name) => outside.includes(name))
    // A program that ended otherwise than by its own words proves nothing.
    const reached = outside === 'passed' || open.length > 0 ? open : ESCAPES.slice(0, ESCAPES.indexOf('memory'))
    const found = new Set<Escape>(reached)
    if (connections > 0) found.add('sockets')
    if (heap !== 'passed') found.add('memory')
    if (loop !== 'timed out') found.add('endless_loop')
    return ESCAPES.filter((name) => found.has(name))
  } finally {
    server.close()
    await rm(folder, { recursive: true })
  }
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** A program that fails with the names of the ways that were open. */
function reachOut(given: {
  readonly secret: string
  readonly names: readonly string[]
  readonly port: number
}): string {
  return `
import json
given = json.loads(${JSON.stringify(JSON.stringify(given))})
found = set()

def attempt(name, way):
    try:
        if way() is not False:
            found.add(name)
    except BaseException:
        pass

def read(path):
    with open(path) as file:
        file.read()

def write():
    with open(given["secret"] + ".new", "w") as file:
        file.write("x")

def listed():
    import os
    os.listdir(os.path.dirname(given["secret"]))

def variables():
    import os, posix
    known = set(os.environ) | {name.decode() for name in posix.environ}
    return any(name in known for name in given["names"])

def connect():
    import socket
    socket.create_connection(("127.0.0.1", given["port"]), timeout=2)

def fork():
    import posix
    if posix.fork() == 0:
        posix._exit(0)

def start():
    import posix, sys
    posix.posix_spawn(sys.executable or "/bin/true", [sys.executable or "true", "-c", ""], {})

def start_raw():
    import subprocess, sys, _posixsubprocess
    subprocess.run([sys.executable, "-c", ""])

def javascript():
    import js
    return bool(dir(js))

def run_js():
    from pyodide.code import run_js
    run_js("1")

def api():
    import pyodide_js
    return bool(dir(pyodide_js))

for name, way in (
    ("files", lambda: read(given["secret"])),
    ("files", lambda: read("/etc/passwd")),
    ("files", lambda: read("/proc/self/environ")),
    ("files", write),
    ("files", listed),
    ("environment", variables),
    ("sockets", connect),
    ("children", fork),
    ("children", start),
    ("children", start_raw),
    ("javascript", javascript),
    ("javascript", run_js),
    ("javascript", api),
):
    attempt(name, way)
if found:
    raise Exception(" ".join(sorted(found)))
`
}

/** A program that passes when it gets less than the memory that it must not have. */
function fillMemory(): string {
  return `
held = []
try:
    for _ in range(${Math.ceil(PROGRAM_BYTES / 2 ** 24) + 1}):
        held.append(bytearray(2 ** 24))
except MemoryError:
    held.clear()
else:
    raise Exception("memory")
`
}
