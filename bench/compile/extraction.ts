/**
 * Fields out of long documents: each task of `bench/documents` is solved from 3 of its documents and answers 7 others;
 * it counts when all 7 are right: `node bench/compile/extraction.ts [--seed 1] [--only NAME] [--verbose]`.
 * Limit: at least 34 of the 40 tasks.
 */
import { parseArgs } from 'node:util'
import { compileProgram } from '../../core/compile/language/evaluate/evaluate.ts'
import { equalJson } from '../../core/compile/language/primitives/values/json-values.ts'
import { DEFAULT_WORK_BUDGET, synthesize } from '../../core/compile/synthesis/synthesize.ts'
import { DOCUMENT_TASKS } from '../documents/all.ts'
import { quantile, report, short } from '../harness/report.ts'
import { type DrawnTask, drawRows } from '../small-sets/drawn-task.ts'

const SHOWN = 3
const OTHERS = 7
const MIN_RIGHT = 34

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})

interface Outcome {
  readonly task: string
  readonly right: number
  readonly ms: number
  readonly answerMs: number
  readonly work: number
  readonly units: number
}

function solve(task: DrawnTask): Outcome {
  const rows = drawRows(task, SHOWN + OTHERS, Number(options.seed))
  const started = performance.now()
  const { candidates, workUsed } = synthesize(rows.slice(0, SHOWN), { k: 5, workBudget: DEFAULT_WORK_BUDGET })
  const ms = performance.now() - started
  const program = candidates[0]?.program
  const compiled = program === undefined ? undefined : compileProgram(program)
  const answered = performance.now()
  const others = rows.slice(SHOWN).map(({ input, output }) => ({ output, answer: compiled?.attempt(input) }))
  const answerMs = (performance.now() - answered) / OTHERS
  const right = others.filter(({ output, answer }) => answer !== undefined && equalJson(answer, output)).length
  const sizes = rows.map(({ input }) => (typeof input === 'string' ? input.length : 0))
  const units = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  const name = `${task.subject}/${task.name}`
  if (options.verbose || right < OTHERS) {
    const wrong = others.find(({ output, answer }) => answer === undefined || !equalJson(answer, output))
    console.log(
      `${right === OTHERS ? 'ok  ' : 'MISS'} ${name} ${right}/${OTHERS}, ${Math.round(ms)} ms, ${workUsed} steps`,
    )
    console.log('     ', JSON.stringify(program?.body)?.slice(0, 900))
    if (wrong !== undefined) {
      console.log('     wanted', JSON.stringify(wrong.output).slice(0, 300))
      console.log('     got   ', JSON.stringify(wrong.answer)?.slice(0, 300))
    }
  }
  return { task: name, right, ms, answerMs, work: workUsed, units }
}

const outcomes = DOCUMENT_TASKS.filter(({ name, subject }) => `${subject}/${name}`.includes(options.only ?? '')).map(
  solve,
)
const solved = outcomes.filter(({ right }) => right === OTHERS).length
const times = outcomes.map(({ ms }) => ms)
console.table(outcomes.map((one) => ({ ...one, ms: short(one.ms), answerMs: short(one.answerMs) })))
await report('extraction', [
  { what: 'tasks', value: outcomes.length },
  { what: 'tasks with every other document right', value: solved, limit: MIN_RIGHT, ratio: short(solved / MIN_RIGHT) },
  { what: 'search p50 ms', value: short(quantile(times, 0.5)) },
  { what: 'search p95 ms', value: short(quantile(times, 0.95)) },
  {
    what: 'answer p95 ms',
    value: short(
      quantile(
        outcomes.map(({ answerMs }) => answerMs),
        0.95,
      ),
    ),
  },
  { what: 'steps max', value: Math.max(...outcomes.map(({ work }) => work)) },
  {
    what: 'length of a document, mean',
    value: Math.round(outcomes.reduce((sum, one) => sum + one.units, 0) / outcomes.length),
  },
])
if (options.only === undefined && solved < MIN_RIGHT) process.exitCode = 1
