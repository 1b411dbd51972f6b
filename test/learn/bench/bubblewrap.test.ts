import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import pLimit from 'p-limit'
import { openBubblewrap } from '../../../core/learn/evals/bench/code/bubblewrap/bubblewrap.ts'
import type { CodeSandbox } from '../../../core/learn/evals/bench/code/sandbox.ts'
import { FORGERIES } from './forgeries.ts'

const signal = new AbortController().signal
const PYTHON_FILES = fileURLToPath(new URL('../../../core/learn/evals/bench/code/python', import.meta.url))
/** Runs the harness without walls, so that the tests of its verdicts need no namespaces of the machine. */
const WITHOUT_WALLS = `#!/bin/bash
while [ "$2" != -I ]; do shift; done
exec "$1" -I -S -B "${PYTHON_FILES}/bubblewrap.py"
`

describe('sandbox of bubblewrap', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-bwrap-'))
  })
  after(async () => {
    await rm(folder, { recursive: true })
    await rm('/tmp/svc-forgery.so', { force: true })
  })

  const opened = async (script: string): Promise<CodeSandbox> => {
    const file = join(folder, 'bwrap')
    await writeFile(file, script)
    await chmod(file, 0o755)
    const sandbox = await openBubblewrap([folder, process.env['PATH'] ?? ''].join(delimiter))
    if (sandbox === null) throw new Error('there is no python3')
    return sandbox
  }

  it('gives the verdicts of the official checker', async () => {
    const sandbox = await opened(WITHOUT_WALLS)
    const programs = [
      'print(1)',
      'import asyncio, json, random, threading',
      'assert False, "is not 4"',
      'raise Exception("a\\nb")',
      'while True: pass',
      'import time\ntry:\n    while True: time.sleep(9)\nexcept BaseException: pass',
      'import os\nos.system("true")',
    ]
    const verdicts = programs.map(async (program) => {
      const timeoutMs = program.includes('while') ? 500 : 20_000
      return await sandbox.run({ program, timeoutMs, signal })
    })
    expect(await Promise.all(verdicts)).to.deep.equal([
      'passed',
      'passed',
      'failed: is not 4',
      'failed: a\nb',
      'timed out',
      'passed',
      "failed: 'NoneType' object is not callable",
    ])
  })

  it('believes no program that says it passed', async () => {
    const sandbox = await opened(WITHOUT_WALLS)
    const few = pLimit(4)
    await Promise.all(
      Object.entries(FORGERIES).map(async ([name, program]) => {
        const verdict = await few(async () => await sandbox.run({ program, timeoutMs: 2000, signal }))
        expect(verdict, name).to.not.equal('passed')
      }),
    )
  })

  it('that did not begin a program is an error, whatever it prints', async () => {
    const run = { program: '', timeoutMs: 500, signal }
    for (const script of ['#!/bin/sh\nexit 1\n', '#!/bin/sh\nexec tr "\\0" x < /dev/zero\n']) {
      const sandbox = await opened(script)
      const error = await sandbox.run(run).catch((reason: unknown) => reason)
      expect(String(error)).to.equal('Error: the sandbox ended before it began the program')
    }
  })
})
