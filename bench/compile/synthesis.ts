import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { Json } from '../../core/kernel/json/json.ts'
import { applyAnswers, type Answer } from '../../core/compile/synthesis/questions/apply-answers.ts'
import { candidatesFor, MOST_CANDIDATES } from '../../core/compile/synthesis/questions/posterior.ts'
import { nextQuestion } from '../../core/compile/synthesis/questions/next-question.ts'
import { countUndecided } from '../../core/compile/synthesis/questions/undecided.ts'
import { inferEquality } from '../../core/compile/rows/equality/infer-equality.ts'
import { compileProgram } from '../../core/compile/language/evaluate/evaluate.ts'
import { equalJson } from '../../core/compile/language/primitives/values/json-values.ts'
import { DEFAULT_WORK_BUDGET, synthesize } from '../../core/compile/synthesis/synthesize.ts'
import { ALL_TASKS } from '../tasks/all.ts'
import { firstRows } from '../tasks/first-rows.ts'
import type { BenchTask } from '../tasks/task.ts'

// Solves every task from its first examples and counts those whose top program is right on all the other ones.
//   node bench/compile/synthesis.ts [--data FILE] [--train 4] [--only NAME] [--rows 10] [--unlabelled] [--ask 2] [--verbose]
// FILE holds `[{id, examples: [{input, output}]}]`; without it, the tasks under bench/tasks are solved. `--rows` leaves
// out tasks with fewer rows. `--unlabelled` gives the inputs of the other rows to the search. `--ask` asks so many
// questions about these inputs, which their rows answer; a task counts when all rows but the first are right.

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string' },
    train: { type: 'string', default: '4' },
    only: { type: 'string' },
    rows: { type: 'string', default: '0' },
    k: { type: 'string', default: '5' },
    unlabelled: { type: 'boolean', default: false },
    ask: { type: 'string', default: '0' },
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
  readonly asked: readonly { readonly reason: string; readonly shares: readonly number[] }[]
  /** Share of the unlabelled inputs on which the posterior disagrees; null where it was not asked for. */
  readonly undecided: number | null
}

const asks = Number(flags.ask)

/** Searches, and asks questions where the flags say so. */
function search(task: BenchTask, size: number) {
  const given = task.examples.slice(0, size).map((example, i) => ({ id: `row_${i + 1}`, ...example }))
  const others = task.examples.slice(size)
  const inputs = others.map(({ input }, i) => ({ id: `unlabelled_${i + 1}`, input }))
  const isUnlabelled = flags.unlabelled || asks > 0
  const answers: Answer[] = []
  let searchMs = 0
  const asked: { readonly reason: string; readonly shares: readonly number[] }[] = []
  for (;;) {
    const state = applyAnswers(given, inputs, answers)
    const unlabelled = state.unlabelled.map(({ input }) => input)
    const started = performance.now()
    const result = synthesize(state.rows, {
      k: isUnlabelled ? MOST_CANDIDATES : Number(flags.k),
      workBudget: DEFAULT_WORK_BUDGET,
      ...(isUnlabelled ? { unlabelled } : {}),
    })
    searchMs = performance.now() - started
    const equality = inferEquality(state.rows.map(({ output }) => output))
    const candidates = candidatesFor(result.candidates, state.rows, equality)
    const question =
      answers.length < asks
        ? nextQuestion({ candidates, rows: state.rows, unlabelled, asked: state.asked, equality })
        : null
    const row = question === null ? undefined : others.find(({ input }) => equalJson(input, question.input))
    if (question === null || row === undefined) {
      const { inputs: of, undecided } = countUndecided(candidates, unlabelled, equality, state.rows.length)
      return { result, searchMs, asked, undecided: of === 0 ? null : undecided / of }
    }
    asked.push({ reason: question.reason, shares: question.answers.map(({ share }) => Number(share.toFixed(2))) })
    answers.push({ kind: 'output', ...row })
  }
}

function solve(task: BenchTask, train: number): Outcome {
  const size = firstRows(task, train)
  const { result, searchMs: ms, asked, undecided } = search(task, size)
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
    asked,
    undecided,
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

const tasks = readTasks().filter(
  ({ name, examples }) =>
    (flags.only === undefined || name.includes(flags.only)) && examples.length >= Number(flags.rows),
)
const outcomes = tasks.map((task) => {
  const outcome = solve(task, Number(flags.train))
  if (flags.verbose || !outcome.solved) {
    console.log(
      `${outcome.solved ? 'ok  ' : 'MISS'} ${outcome.category}: ${outcome.name}`,
      Math.round(outcome.ms),
      outcome.work,
      outcome.asked.map(({ reason, shares }) => `${reason} ${shares.join('/')}`).join('; '),
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
