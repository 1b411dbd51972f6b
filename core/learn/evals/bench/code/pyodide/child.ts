import dgram from 'node:dgram'
import dns from 'node:dns'
import { constants, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { join } from 'node:path'
import { loadPyodide } from 'pyodide'
import type { CodeReport } from '../sandbox.ts'

/** Messages of this process: that its interpreter is ready, then how the program ended. */
export type ChildMessage = { readonly type: 'ready' } | { readonly type: 'report'; readonly report: CodeReport }

/** A message to this process. */
export interface ProgramMessage {
  readonly program: string
  readonly timeoutMs: number
}

/** Tasks of this process: write the state of an interpreter that has just started, or run one program in such a one. */
export type ChildTask = 'make' | 'run'

/** Memory of WebAssembly, as far as it is used here. */
interface WasmMemory {
  readonly buffer: ArrayBufferLike
  grow(pages: number): number
}

declare const WebAssembly: { readonly Memory: { readonly prototype: WasmMemory } }

const PAGE_BYTES = 65_536
const SIGALRM = 14
/** Memory of Node and of Pyodide itself, beside the program's. */
const OWN_BYTES = 512 * 1024 * 1024
const LOOK_EVERY_MS = 20
/** Characters of a failure that are sent. */
const MOST_CHARS = 16_000
/** Modules that the harness and most programs import: they are in the snapshot. */
const IMPORTS =
  'import asyncio, collections, datetime, faulthandler, functools, gc, heapq, io, itertools, json, math, os, random, re, shutil, signal, string, subprocess, typing'

const [, , task = 'run', folder = '', python = '', snapshot = '', bytes = '0'] = process.argv
const memoryBytes = Number(bytes)
const silent = (): undefined => undefined
const options = {
  indexURL: folder,
  jsglobals: Object.create(null),
  env: { HOME: '/tmp' },
  stdin: () => null,
  stdout: silent,
  stderr: silent,
}

denyNetwork()
boundMemory()
// Pyodide asks for the constants of the file system only.
Object.defineProperty(process, 'binding', { value: () => ({ fs: constants }) })
if (task === ('make' satisfies ChildTask)) await makeSnapshot()
else await serve()

async function makeSnapshot(): Promise<void> {
  const pyodide = await loadPyodide({ ...options, _makeSnapshot: true })
  pyodide.runPython(IMPORTS)
  writeFileSync(snapshot, pyodide.makeMemorySnapshot())
}

/** Starts an interpreter, takes what leads to JavaScript out of it, and runs one program. */
async function serve(): Promise<void> {
  const pyodide = await loadPyodide({ ...options, _loadSnapshot: readFileSync(snapshot) })
  pyodide.FS.chdir('/tmp')
  const names = pyodide.runPython('dict()')
  for (const file of ['harness.py', 'seal.py']) {
    pyodide.runPython(readFileSync(join(python, file), 'utf8'), { globals: names })
  }
  const [prepare, run, failureOfLast] = ['prepare', 'run', 'failure_of_last'].map((name) => names.get(name))
  names.get('seal')()
  process.once('message', ({ program, timeoutMs }: ProgramMessage) => {
    prepare()
    pyodide.setInterruptBuffer(alarmAfter(timeoutMs))
    const report = reportOf(
      () => run(program),
      () => failureOfLast(),
    )
    send({ type: 'report', report })
  })
  send({ type: 'ready' })
}

function send(message: ChildMessage): void {
  process.send?.(message)
}

/**
 * Returns how the program ended. It passed only if the call returns, which no Python code stands between. A program that ends the
 * interpreter has no failure.
 */
function reportOf(run: () => unknown, failureOfLast: () => unknown): CodeReport {
  try {
    return { hasPassed: run() === 'passed', failure: null }
  } catch {
    return { hasPassed: false, failure: textOf(failureOfLast) }
  }
}

function textOf(failureOfLast: () => unknown): string | null {
  try {
    const text = failureOfLast()
    return typeof text === 'string' ? text.slice(0, MOST_CHARS) : null
  } catch {
    return null
  }
}

/**
 * Returns the buffer of signals: the interpreter looks at it now and then. It holds SIGALRM once the time is over, and a look ends a
 * process that holds too much.
 */
function alarmAfter(timeoutMs: number): Uint8Array {
  const deadline = performance.now() + timeoutMs
  let isOver = false
  let lookedAt = 0
  const look = (): number => {
    const now = performance.now()
    if (now - lookedAt > LOOK_EVERY_MS) {
      lookedAt = now
      if (process.memoryUsage.rss() > memoryBytes + OWN_BYTES) process.kill(process.pid, 'SIGKILL')
    }
    if (isOver || now < deadline) return 0
    isOver = true
    return SIGALRM
  }
  const get = (_: Uint8Array, key: string | symbol): number | undefined => (key === '0' ? look() : undefined)
  return new Proxy(new Uint8Array(1), { get, set: () => true })
}

/** The permission model of Node 24 does not know sockets. */
function denyNetwork(): void {
  const refuse = (): never => {
    throw new Error('there is no network')
  }
  Object.assign(net.Socket.prototype, { connect: refuse })
  Object.assign(net.Server.prototype, { listen: refuse })
  Object.assign(dgram, { createSocket: refuse })
  Object.assign(dgram.Socket.prototype, { bind: refuse, send: refuse, connect: refuse })
  for (const [name, value] of Object.entries(dns)) {
    if (typeof value === 'function') Object.assign(dns, { [name]: refuse })
  }
  syncBuiltinESMExports()
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']) Reflect.deleteProperty(globalThis, name)
}

/** The heap of the interpreter grows up to the bound; then Python raises MemoryError. */
function boundMemory(): void {
  const memory = WebAssembly.Memory.prototype
  const grow = Reflect.get(memory, 'grow')
  Object.assign(memory, {
    grow(this: WasmMemory, pages: number): number {
      if (this.buffer.byteLength + pages * PAGE_BYTES > memoryBytes) throw new RangeError('the memory is used up')
      return Reflect.apply(grow, this, [pages])
    },
  })
}
