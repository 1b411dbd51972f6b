/**
 * Everyday tasks of bench/user-tasks: a program is searched from a few rows in the order in which they were drawn, and
 * counts when it is right on 20 others: `node bench/compile/user-tasks.ts [--shown 4,6,8] [--seeds 3] [--only NAME] [--unlabelled]`.
 * `--unlabelled` gives the inputs of 12 further rows to the search.
 */
import { parseArgs } from 'node:util'
import { equalJson } from '../../core/compile/language/primitives/values/json-values.ts'
import { compileProgram } from '../../core/compile/language/evaluate/evaluate.ts'
import { printProgram } from '../../core/compile/language/print.ts'
import { DEFAULT_WORK_BUDGET, synthesize } from '../../core/compile/synthesis/synthesize.ts'
import { report } from '../harness/report.ts'
import { drawRows, type DrawnTask } from '../small-sets/drawn-task.ts'
import { USER_TASKS } from '../user-tasks/all.ts'

const HELD_OUT = 20
const UNLABELLED = 12

const { values: options } = parseArgs({
  options: {
    shown: { type: 'string', default: '4,6,8' },
    seeds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    unlabelled: { type: 'boolean', default: false },
  },
})

/** Returns true where the first program is right on all held-out rows; prints what it misses otherwise. */
function isSolved(task: DrawnTask, shown: number, seed: number): boolean {
  const rows = drawRows(task, shown + HELD_OUT + UNLABELLED, seed)
  const others = rows.slice(shown + HELD_OUT).map(({ input }) => input)
  const { candidates } = synthesize(rows.slice(0, shown), {
    k: 1,
    workBudget: DEFAULT_WORK_BUDGET,
    ...(options.unlabelled ? { unlabelled: others } : {}),
  })
  const program = candidates[0]?.program
  const compiled = program === undefined ? undefined : compileProgram(program)
  const missed = rows.slice(shown, shown + HELD_OUT).filter(({ input, output }) => {
    const answer = compiled?.attempt(input)
    return answer === undefined || !equalJson(answer, output)
  })
  const [one] = missed
  if (one !== undefined) {
    console.log(`MISS ${task.subject}/${task.name} from ${shown}, seed ${seed}: ${missed.length} of ${HELD_OUT}`)
    console.log(`     ${program === undefined ? 'no program' : printProgram(program)}`)
    console.log(`     ${JSON.stringify({ ...one, got: compiled?.attempt(one.input) ?? null })}`)
  }
  return one === undefined
}

const tasks = USER_TASKS.filter(({ subject, name }) => `${subject}/${name}`.includes(options.only))
const seeds = Array.from({ length: Number(options.seeds) }, (_, at) => at + 1)
const figures = options.shown.split(',').map((shown) => {
  const solved = tasks.flatMap((task) => seeds.map((seed) => isSolved(task, Number(shown), seed))).filter(Boolean)
  return { what: `right on ${HELD_OUT} held-out rows, ${shown} shown`, value: solved.length }
})
await report('user-tasks', [{ what: 'searches of each kind', value: tasks.length * seeds.length }, ...figures])
