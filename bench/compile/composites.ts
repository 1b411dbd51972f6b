/**
 * Composites: `node bench/compile/composites.ts [--only NAME] [--rows N] [--alone]`. 40 drawn tasks of 200 rows, each a
 * label, a number, a date and a code out of one message. Limits: every leaf has its kind in 38 tasks; with `--alone`, no
 * leaf is more than 0.01 worse than the best kind for that leaf alone, in the same folds.
 */
import { parseArgs } from 'node:util'
import { parseComposite } from '../../core/compile/runtime/composite/composite-recipe.ts'
import { pointerOf } from '../../core/compile/runtime/composite/places.ts'
import { isSameOutput } from '../../core/compile/rows/equality/same-output.ts'
import { taskEquality } from '../../core/compile/rows/equality/task-equality.ts'
import type { Split } from '../../core/compile/rows/split/split-report.ts'
import { condenseVerdict } from '../../core/compile/stages/judge/verdict.ts'
import { verifyCandidates } from '../../core/compile/stages/judge/verify.ts'
import { sampleCandidates } from '../../core/compile/stages/sample/sample.ts'
import { samplePart } from '../../core/compile/stages/sample/sample-part.ts'
import type { SampleInput } from '../../core/compile/stages/stage-types.ts'
import { factsOf } from '../../core/compile/rows/intake/example.ts'
import { isJsonObject } from '../../core/kernel/json/json.ts'
import { report } from '../harness/report.ts'
import { drawTasks, type CompositeTask } from './composite-tasks.ts'

const RIGHT_TASKS = 38 / 40
const WORSE = 0.01

type TableRow = Readonly<Record<string, string | number>>

function inputOf(rows: SampleInput['rows']): SampleInput {
  return { task: 'Read the message', rows, negatives: [], facts: factsOf(rows), k: 8, budgetMs: 600_000 }
}

/** The best share of right answers of a kind on one member alone, each row answered without its fold. */
function shareAlone({ rows }: CompositeTask, split: Split, member: string): number {
  const own = rows.map((row) => ({ ...row, output: isJsonObject(row.output) ? (row.output[member] ?? null) : null }))
  const input = inputOf(own)
  const equality = taskEquality(own, split)
  const expected = new Map(own.map(({ id, output }) => [id, output]))
  const shares = (['program', 'classifier'] as const).map((kind) => {
    let right = 0
    for (const fold of (split.folds ?? []).keys()) {
      const { fold: answered } = samplePart({ input, split, part: { kind, fold } })
      for (const { id, output, abstained, error } of answered?.answers ?? []) {
        const isAnswered = !abstained && error === null
        right += Number(isAnswered && isSameOutput(equality, output, expected.get(id) ?? null))
      }
    }
    return right / own.length
  })
  return Math.max(...shares)
}

function benchTask(task: CompositeTask, isAlone: boolean): TableRow {
  const start = process.cpuUsage()
  const input = inputOf(task.rows)
  const sample = sampleCandidates(input)
  const output = verifyCandidates({ ...input, sample, floor: 0.5 })
  const used = process.cpuUsage(start)
  const { evals } = condenseVerdict(output)
  const { chosen } = output
  const totals = evals.spec === 'svc-evals-2' ? (evals.leaves ?? []) : []
  const kinds = chosen?.data.kind === 'composite' ? parseComposite(chosen.data.recipe).leaves : []
  const wrong = Object.entries(task.kinds).filter(
    ([member, kind]) => kinds.find(({ path }) => pointerOf(path) === `/${member}`)?.leaf.kind !== kind,
  )
  const isProgram = chosen?.kind === 'program'
  const worse = Object.keys(task.kinds).map((member) => {
    if (!isAlone) return 0
    const own = totals.find(({ path }) => pointerOf(path) === `/${member}`)
    const share = own === undefined ? evals.correct / evals.n : own.correct / own.n
    return shareAlone(task, sample.split, member) - share
  })
  return {
    task: task.name,
    chosen: chosen?.kind ?? '-',
    right: `${evals.correct}/${evals.n}`,
    abstained: evals.abstained,
    leaves: totals.map(({ path, kind, n, correct }) => `${pointerOf(path)} ${kind} ${correct}/${n}`).join(' '),
    'wrong kinds': isProgram ? 'all' : wrong.map(([member]) => member).join(' '),
    'worst loss': Number(Math.max(0, ...worse).toFixed(4)),
    'cpu s': Number(((used.user + used.system) / 1e6).toFixed(1)),
  }
}

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, rows: { type: 'string' }, alone: { type: 'boolean' } },
})
const table: TableRow[] = []
for (const task of drawTasks(Number(options.rows ?? 200))) {
  if (!task.name.includes(options.only ?? '')) continue
  table.push(benchTask(task, options.alone === true))
  console.log(JSON.stringify(table.at(-1)))
}
const right = table.filter((row) => row['wrong kinds'] === '').length
const near = table.filter((row) => Number(row['worst loss']) <= WORSE).length
if (right < table.length * RIGHT_TASKS || (options.alone === true && near < table.length)) process.exitCode = 1
console.log(
  `${right} of ${table.length} tasks have the right kind for every leaf; ${near} lose nothing to a leaf alone`,
)
await report('composites', table)
