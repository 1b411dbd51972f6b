/**
 * Runs the benchmarks one after the other: `npm run bench -- [--pbe FILE] [--intents FILE] [--tables FOLDER]
 * [--python FILE] [--stats-python FILE] [--runs N] [--before FOLDER] [--portkey FOLDER] [name ...]`. Each prints a table and writes it
 * under `.out/`. A benchmark that needs an option which is not given (data, a Python with its packages, a number of runs, a checkout of
 * another version) is left out.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pbe: { type: 'string' },
    intents: { type: 'string' },
    tables: { type: 'string' },
    python: { type: 'string' },
    'stats-python': { type: 'string' },
    runs: { type: 'string' },
    before: { type: 'string' },
    portkey: { type: 'string' },
  },
})
const { pbe, intents, tables, python, 'stats-python': statistics, runs, before, portkey } = options

/** A benchmark: its file, and its arguments; without arguments it lacks an option and is left out. */
interface Benchmark {
  readonly file: string
  readonly args: readonly string[] | undefined
}

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  synthesis: { file: 'compile/synthesis', args: pbe === undefined ? [] : ['--data', pbe] },
  'cross-fit': { file: 'compile/cross-fit', args: [] },
  recompute: { file: 'compile/recompute', args: [] },
  'small-sets': { file: 'compile/small-sets', args: [] },
  'noisy-sets': { file: 'compile/small-sets', args: ['--noisy'] },
  extraction: { file: 'compile/extraction', args: [] },
  printers: { file: 'compile/printers', args: [] },
  'user-tasks': { file: 'compile/user-tasks', args: [] },
  compile: { file: 'compile/compile', args: pbe === undefined ? undefined : ['--data', pbe] },
  intents: { file: 'compile/intents', args: intents === undefined ? undefined : ['--data', intents] },
  risk: { file: 'compile/risk', args: intents === undefined ? [] : ['--data', intents] },
  'failure-modes': { file: 'compile/failure-modes/failure-modes', args: [] },
  'blast-radius': { file: 'service/blast-radius', args: [] },
  compose: { file: 'ranking/routing/compose', args: [] },
  calibration: { file: 'small-sets/calibration/calibration', args: [] },
  tabular: { file: 'compile/tabular', args: tables === undefined ? undefined : ['--data', tables] },
  'human-eval': {
    file: 'model/human-eval/human-eval',
    args: python === undefined ? undefined : ['--python', python],
  },
  gates: { file: 'service/gates/gates', args: [] },
  statistics: {
    file: 'service/statistics/statistics',
    args: statistics === undefined ? undefined : ['--python', statistics],
  },
  compiles: { file: 'service/jobs/compiles', args: [] },
  evaluations: { file: 'service/jobs/evaluations', args: [] },
  run: { file: 'service/run', args: [] },
  batch: { file: 'service/batch', args: [] },
  paired: {
    file: 'service/paired',
    args: before === undefined ? undefined : ['--before', before, ...(runs === undefined ? [] : ['--pairs', runs])],
  },
  gateway: { file: 'gateway/proxy', args: portkey === undefined ? [] : ['--portkey', portkey] },
  guard: { file: 'service/guard', args: [] },
  ledger: { file: 'service/ledger', args: [] },
  queue: { file: 'service/jobs/queue', args: [] },
  recall: { file: 'service/recall', args: [] },
  captures: { file: 'gateway/captures', args: [] },
  'gateway-faults': { file: 'gateway/faults', args: [] },
  faults: { file: 'service/faults', args: [] },
  rentals: { file: 'service/jobs/rentals', args: [] },
  'distill-noise': {
    file: 'service/jobs/distill-noise',
    args: intents === undefined ? undefined : ['--data', intents],
  },
  'learn-faults': { file: 'service/jobs/learn-faults', args: [] },
  starts: { file: 'service/jobs/starts', args: [] },
  attacks: { file: 'attacks', args: [] },
  boundary: { file: 'service/unfiltered', args: [] },
  flaky: { file: 'flaky', args: runs === undefined ? undefined : ['--runs', runs] },
  memory: { file: 'service/memory', args: [] },
  generation: { file: 'model/generation', args: [] },
  redaction: { file: 'gateway/redaction', args: [] },
  datasets: { file: 'service/datasets', args: [] },
  peft: { file: 'model/peft', args: python === undefined ? undefined : ['--python', python] },
}

const names = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS)
for (const name of names) {
  const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined
  if (benchmark === undefined) throw new Error(`no benchmark ${name}: ${Object.keys(BENCHMARKS).join(', ')}`)
  const { file, args } = benchmark
  console.log(`\n${name}${args === undefined ? ': left out, it needs an option' : ''}`)
  if (args === undefined) continue
  const { status } = spawnSync(process.execPath, [`bench/${file}.ts`, ...args], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
