/**
 * Written code against the runtime, in Python, TypeScript and Postgres: every published vector, the top program of every
 * task of bench/tasks on all of its rows and on changed ones (`--inputs N`, 10,000), and random programs (`--programs N`,
 * 10,000) on inputs of all types; then classifiers and tabular models on as many inputs. Differences must be none.
 *   node bench/compile/printers.ts [--programs 10000] [--inputs 10000] [--seed 0] [--data FILE]
 * FILE holds `[{id, examples: [{input, output}]}]`, more tasks.
 */
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { z } from 'zod'
import { DEFAULT_WORK_BUDGET, synthesize } from '../../core/compile/synthesis/synthesize.ts'
import { changedCases, type ProgramCase, randomCases, vectorCases } from '../../test/compile/core/runtime/code/cases.ts'
import {
  type Comparison,
  comparePython,
  compareTypescript,
  typeErrors,
} from '../../test/compile/core/runtime/code/printed.ts'
import { modelCases } from '../../test/compile/core/runtime/code/model-cases.ts'
import {
  compareModelPython,
  compareModelTypescript,
  type ModelCase,
} from '../../test/compile/core/runtime/code/printed-models.ts'
import { compareSql, isInSql } from '../../test/compile/core/runtime/code/printed-sql.ts'
import { startStack } from '../../stack/stack.ts'
import { report } from '../harness/report.ts'
import { ALL_TASKS } from '../tasks/all.ts'
import type { BenchTask } from '../tasks/task.ts'

const { values: flags } = parseArgs({
  options: {
    programs: { type: 'string', default: '10000' },
    inputs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '0' },
    data: { type: 'string' },
  },
})
/** Programs of one process of Python. */
const BATCH = 1000
/** Random programs whose types are checked; one file each. */
const TYPED = 2000

const DataFile = z.array(
  z.object({ id: z.string(), examples: z.array(z.object({ input: z.json(), output: z.json() })) }),
)

function taskCases(): readonly ProgramCase[] {
  const more = flags.data === undefined ? [] : DataFile.parse(JSON.parse(readFileSync(flags.data, 'utf8')))
  const tasks: readonly BenchTask[] = [
    ...ALL_TASKS,
    ...more.map(({ id, examples }) => ({ name: id, category: 'file', examples })),
  ]
  return tasks.flatMap(({ name, examples }) => {
    const rows = examples.slice(0, 20).map((example, at) => ({ id: `row_${at + 1}`, ...example }))
    const [best] = synthesize(rows, { k: 1, workBudget: DEFAULT_WORK_BUDGET }).candidates
    if (best === undefined) return []
    return [{ name, program: best.program, inputs: examples.map(({ input }) => input) }]
  })
}

function inBatches(cases: readonly ProgramCase[], run: (batch: readonly ProgramCase[]) => Comparison): Comparison {
  const parts: Comparison[] = []
  for (let at = 0; at < cases.length; at += BATCH) parts.push(run(cases.slice(at, at + BATCH)))
  return {
    programs: cases.length,
    inputs: parts.reduce((sum, { inputs }) => sum + inputs, 0),
    differences: parts.flatMap(({ differences }) => differences),
  }
}

function modelRows(count: number) {
  const cases = modelCases(100, Math.ceil(count / 6))
  const sum = (language: string, run: (one: ModelCase) => Comparison) => {
    const parts = cases.map(run)
    return {
      set: 'models',
      language,
      programs: parts.length,
      inputs: parts.reduce((total, part) => total + part.inputs, 0),
      differences: parts.flatMap(({ differences }) => differences),
    }
  }
  return [sum('python', compareModelPython), sum('typescript', compareModelTypescript)]
}

async function inPostgres(sets: Readonly<Record<string, readonly ProgramCase[]>>) {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  // Root's Postgres runs as another user, who has to pass through.
  await chmod(dataDir, 0o711)
  const stack = await startStack({ dataDir, searchPath: process.env['PATH'] ?? '', log: () => undefined })
  const client = new pg.Client({ connectionString: stack.databaseUrl })
  try {
    await client.connect()
    const rows = []
    for (const [set, cases] of Object.entries(sets))
      rows.push({ set, language: 'sql', ...(await compareSql(client, cases)) })
    return rows
  } finally {
    await client.end()
    await stack.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const [seed, inputs] = [Number(flags.seed), Number(flags.inputs)]
const tasks = taskCases()
const sets = {
  vectors: vectorCases(),
  tasks,
  random: randomCases(seed, Number(flags.programs)),
}
const changed = changedCases(seed, tasks, inputs)
const rows = [
  ...Object.entries({ ...sets, changed }).flatMap(([set, cases]) => [
    { set, language: 'python', ...inBatches(cases, comparePython) },
    { set, language: 'typescript', ...inBatches(cases, compareTypescript) },
  ]),
  ...modelRows(inputs),
  ...(await inPostgres({ ...sets, changed: changedCases(seed, tasks.filter(isInSql), inputs) })),
]
for (const { set, language, differences } of rows)
  for (const difference of differences.slice(0, 20)) console.log(`${set} ${language}: ${difference}`)
const types = Object.values(sets).map((cases) => typeErrors(cases.slice(0, TYPED)))
for (const errors of types) if (errors !== '') console.log(errors.slice(0, 4000))
await report(
  'printers',
  rows.map(({ set, language, programs, inputs: given, differences }) => ({
    set,
    language,
    programs,
    inputs: given,
    differences: differences.length,
  })),
)
if (types.some((errors) => errors !== '') || rows.some(({ differences }) => differences.length > 0))
  process.exitCode = 1
