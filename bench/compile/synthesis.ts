import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { Json } from '../../core/kernel/json/json.ts'
import { compileProgram } from '../../core/compile/language/evaluate/evaluate.ts'
import { equalJson } from '../../core/compile/language/primitives/values/json-values.ts'
import { DEFAULT_WORK_BUDGET, synthesize } from '../../core/compile/synthesis/synthesize.ts'
import { ALL_TASKS } from '../tasks/all.ts'
import { firstRows } from '../tasks/first-rows.ts'
import type { BenchTask } from '../tasks/task.ts'

// Solves every task from its first examples and counts those whose top program is right on all the other ones.
//   node bench/compile/synthesis.ts [--data FILE] [--train 4] [--only NAME] [--verbose]
// FILE holds `[{id, examples: [{input, output}]}]`; without it, the tasks under bench/tasks are solved.

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string' },
    train: { type: 'string', default: '4' },
    only: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})

const DataFile = z.array(
  z.object({ id: z.string(), examples: z.array(z.object({ input: z.json(), output: z.json() })) }),
)

function readTasks(): readonly BenchTask[] {
  if (flags.data === undefined) return ALL_TASKS
  const data = DataFile.parse(JSON.parse(readFileSync(flags.data, 'utf8')))
  return data.map(({ id, examples }) => ({ name: id, category: 'file', examples }))
}

interface Outcome {
  readonly name: string
  readonly category: string
  readonly solved: boolean
  /** Whether it has rows that the program was not made from. */
  readonly counted: boolean
  readonly ms: number
  readonly work: number
  readonly program: Json
  readonly failure: Json
}

function solve(task: BenchTask, train: number): Outcome {
  const size = firstRows(task, train)
  const rows = task.examples.slice(0, size).map((example, i) => ({ id: `row_${i + 1}`, ...example }))
  const started = performance.now()
  const result = synthesize(rows, { k: 5, workBudget: DEFAULT_WORK_BUDGET })
  const ms = performance.now() - started
  const program = result.candidates[0]?.program
  const counted = task.examples.length > size
  const tested = counted ? task.examples.slice(size) : task.examples
  const compiled = program === undefined ? undefined : compileProgram(program)
  const failing = tested.find(({ input, output }) => {
    const answer = compiled?.attempt(input)
    return answer === undefined || !equalJson(answer, output)
  })
  const failure = failing === undefined ? null : { ...failing, got: compiled?.attempt(failing.input) ?? null }
  const shown: Json = program === undefined ? null : JSON.parse(JSON.stringify(program.body))
  return {
    name: task.name,
    category: task.category,
    solved: failing === undefined,
    counted,
    ms,
    work: result.workUsed,
    program: shown,
    failure,
  }
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}

function report(label: string, outcomes: readonly Outcome[]) {
  const times = outcomes.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return {
    set: label,
    solved: `${outcomes.filter(({ solved }) => solved).length}/${outcomes.length}`,
    p50_ms: Math.round(quantile(times, 0.5)),
    p95_ms: Math.round(quantile(times, 0.95)),
    max_ms: Math.round(times.at(-1) ?? 0),
  }
}

const tasks = readTasks().filter(({ name }) => flags.only === undefined || name.includes(flags.only))
const outcomes = tasks.map((task) => {
  const outcome = solve(task, Number(flags.train))
  if (flags.verbose || !outcome.solved) {
    console.log(
      `${outcome.solved ? 'ok  ' : 'MISS'} ${outcome.category}: ${outcome.name}`,
      Math.round(outcome.ms),
      outcome.work,
    )
    console.log('    ', JSON.stringify(outcome.program)?.slice(0, 600))
    if (outcome.failure !== null) console.log('    ', JSON.stringify(outcome.failure))
  }
  return outcome
})
const categories = [...new Set(outcomes.map(({ category }) => category))]
const counted = outcomes.filter((outcome) => outcome.counted)
const table = [
  ...categories.map((category) =>
    report(
      category,
      counted.filter((outcome) => outcome.category === category),
    ),
  ),
  report('all with rows to test', counted),
  report('all, consistent', outcomes),
]
console.table(table)
mkdirSync('.out', { recursive: true })
writeFileSync('.out/synthesis.json', JSON.stringify({ flags, table, outcomes }, null, 1))
