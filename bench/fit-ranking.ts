/**
 * Fits the weights of `core/compile/synthesis/ranking/ranking.json` and prints what they change:
 * `npm run fit-ranking -- [--data FILE]... [--rows 4,8] [--only NAME] [--rounds 1] [--lambda 160] [--temperature 1] [--k 64] [--out FILE]`.
 * The tasks are those of bench/tasks and of the data files `[{id, examples: [{input, output}]}]`; of a file only its digest
 * is kept. Every task is counted with weights that were fitted without its fifth. `--out` writes the ranking fitted on
 * all tasks; `--weights present` measures the ranking of the tree as it is, `--weights FILE` another one, and `--weights zero`
 * one whose weights are all zero.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { fitRanking } from './ranking/fit-ranking-on.ts'
import { beforeFit, readRanking, writeRanking, type RankingFile } from './ranking/ranking-file.ts'
import { FOLDS, readRankingTasks, type RankingTask } from './ranking/ranking-tasks.ts'
import { searchTasks } from './ranking/search-tasks.ts'
import type { SearchedTask } from './ranking/search-thread.ts'
import { costed, fitNone, fitTemperature, logLoss, misjudged } from './ranking/temperature.ts'

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string', multiple: true, default: [] },
    rows: { type: 'string', default: '4,8' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '1' },
    lambda: { type: 'string', default: '160' },
    temperature: { type: 'string', default: '1' },
    k: { type: 'string', default: '64' },
    weights: { type: 'string' },
    out: { type: 'string' },
  },
})
const k = Number(flags.k)
const options = {
  rounds: Number(flags.rounds),
  lambda: Number(flags.lambda),
  temperature: Number(flags.temperature),
  k,
}

type Searched = ReadonlyMap<RankingTask, SearchedTask>

function chosenRanking(): RankingFile {
  const present = readRanking()
  if (flags.weights === undefined) return beforeFit(present)
  if (flags.weights === 'present') return present
  if (flags.weights !== 'zero') return JSON.parse(readFileSync(flags.weights, 'utf8'))
  return { ...present, weights: Object.fromEntries(Object.keys(present.weights).map((name) => [name, 0])) }
}

/** Data sets are counted by the family of their tasks: the part of a name before its first dot. */
function labelOf({ set, id }: RankingTask): string {
  const family = /^(?:Text|Split|Extraction)(?=[.])/.exec(id)?.[0]
  return family === undefined ? set : `${set}, ${family}`
}

function isSolved(searched: SearchedTask | undefined): boolean {
  return searched?.candidates[0]?.isRight === true
}

function printSolved(tasks: readonly RankingTask[], columns: Readonly<Record<string, Searched>>): void {
  const table = new Map<string, Record<string, string>>()
  for (const label of new Set(tasks.map(labelOf))) {
    const own = tasks.filter((task) => labelOf(task) === label)
    const row: Record<string, string> = { tasks: String(own.length) }
    for (const [name, found] of Object.entries(columns)) {
      const hasRight = own.filter((task) => found.get(task)?.candidates.some(({ isRight }) => isRight) === true)
      row[name] = `${own.filter((task) => isSolved(found.get(task))).length} (${hasRight.length} among the first ${k})`
    }
    table.set(label, row)
  }
  console.table(Object.fromEntries(table))
}

function printTemperature(
  found: Searched,
  weightsOf: (task: RankingTask) => RankingFile['weights'],
): Pick<RankingFile, 'temperature' | 'none'> {
  const entries = [...found].map(([task, searched]) => ({ task, own: costed(searched, weightsOf(task)) }))
  const losses = Array.from({ length: FOLDS }, (_, fold) => {
    const rest = entries.filter(({ task }) => task.fold !== fold).map(({ own }) => own)
    const out = entries.filter(({ task }) => task.fold === fold).map(({ own }) => own)
    const temperature = fitTemperature(rest)
    return [logLoss(out, temperature), misjudged(out, fitNone(rest))]
  })
  const all = entries.map(({ own }) => own)
  const temperature = fitTemperature(all)
  const none = fitNone(all)
  const mean = (at: number) => (losses.reduce((sum, one) => sum + (one[at] ?? 0), 0) / FOLDS).toFixed(4)
  console.log(
    `temperature ${temperature}, log loss on left-out folds ${mean(0)}; none ${none} a row, misjudged ${mean(1)}`,
  )
  return { temperature, none }
}

const present = chosenRanking()
const { tasks, digests } = readRankingTasks(flags.data, flags.rows.split(',').map(Number), flags.only)
const before = await searchTasks(tasks, present, k)
if (flags.weights !== undefined) {
  printSolved(tasks, { solved: before })
  printTemperature(before, () => present.weights)
} else {
  const folds = Array.from({ length: FOLDS }, (_, fold) => fold)
  const after = new Map<RankingTask, SearchedTask>()
  const fitted: RankingFile[] = []
  for (const fold of folds) {
    const ranking = await fitRanking(
      tasks.filter((task) => task.fold !== fold),
      present,
      before,
      options,
    )
    fitted.push(ranking)
    const own = tasks.filter((task) => task.fold === fold)
    for (const [task, found] of await searchTasks(own, ranking, k)) after.set(task, found)
  }
  printSolved(tasks, { 'before the fit': before, fitted: after })
  for (const task of tasks) {
    const [was, is] = [isSolved(before.get(task)), isSolved(after.get(task))]
    if (was !== is) console.log(`${is ? 'gained' : 'lost'}: ${labelOf(task)}: ${task.id}`)
  }
  printTemperature(before, () => present.weights)
  const figures = printTemperature(after, ({ fold }) => fitted[fold]?.weights ?? present.weights)
  if (flags.out !== undefined)
    writeRanking(flags.out, {
      ...(await fitRanking(tasks, present, before, options)),
      ...figures,
      data: { ...digests },
    })
}
