/**
 * Runs the quick selection of the tests again and again beside processes that take all the time of a core each:
 * `npm run bench -- flaky --runs 20`, or `node bench/flaky.ts --runs 20 [--busy 4] [--together 1] [folder ...]`. Runs that go
 * together are load for each other as well. Prints the failures of each run; the exit code is 1 when a test failed in any.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { report } from './harness/report.ts'

/** A run that takes longer is ended and counts as failed, milliseconds. */
const LONGEST_RUN_MS = 30 * 60_000
/** Ends by itself once this process is gone. */
const BUSY = `
  const parent = process.ppid
  for (let next = Date.now(); process.ppid === parent; next += 1000) while (Date.now() < next);`
const Results = z.object({
  stats: z.object({ tests: z.int() }),
  failures: z.array(z.object({ fullTitle: z.string(), err: z.object({ message: z.string().optional() }) })),
})

const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '20' },
    busy: { type: 'string', default: '4' },
    together: { type: 'string', default: '1' },
  },
})
const runs = readCount('runs', 1)
const busy = readCount('busy', 0)
const together = readCount('together', 1)

function readCount(name: keyof typeof values, least: number): number {
  const count = Number(values[name])
  if (!Number.isInteger(count) || count < least) throw new Error(`--${name} takes a whole number from ${least}`)
  return count
}

/** One run: how long it took, and what failed. */
async function runTests(
  output: string,
): Promise<{ readonly seconds: number; readonly tests: number; readonly failures: readonly string[] }> {
  const startedAt = performance.now()
  const options = ['--quick', ...folders, '--reporter', 'json', '--reporter-option', `output=${output}`]
  const run = spawn(process.execPath, ['test/runner/main.ts', ...options], {
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: LONGEST_RUN_MS,
  })
  await once(run, 'exit')
  const { exitCode: status, signalCode: signal } = run
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  try {
    const { stats, failures } = Results.parse(JSON.parse(readFileSync(output, 'utf8')))
    const named = failures.map(({ fullTitle, err }) => `${fullTitle}: ${err.message ?? ''}`)
    const isOver = status === 0 || named.length > 0
    return { seconds, tests: stats.tests, failures: isOver ? named : [`the run ended with ${signal ?? status}`] }
  } catch {
    return { seconds, tests: 0, failures: [`the run ended with ${signal ?? status} and without results`] }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'svc-flaky-'))
const others: ChildProcess[] = []
const rows: Record<string, string | number>[] = []
try {
  for (let i = 0; i < busy; i++) others.push(spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' }))
  let last = 0
  const runOneAfterAnother = async (): Promise<void> => {
    for (let run = ++last; run <= runs; run = ++last) {
      const { seconds, tests, failures } = await runTests(join(folder, `${run}.json`))
      rows.push({ run, busy, together, tests, failures: failures.length, seconds })
      console.log(`run ${run}: ${tests} tests, ${failures.length} failures, ${seconds} s`)
      for (const failure of failures) console.log(`run ${run}: ${failure}`)
      if (failures.length > 0) process.exitCode = 1
    }
  }
  await Promise.all(Array.from({ length: together }, runOneAfterAnother))
} finally {
  for (const child of others) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
await report('flaky', rows)
