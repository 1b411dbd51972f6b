/**
 * The tabular learners: `node bench/compile/tabular.ts [--data FOLDER] [--only NAME]`. Each file of the folder is a data
 * set, `{name, target: label | number, reference, folds: [fold of each row], rows: [{input, output}]}`: a model is
 * fitted for each fold without it. Limits: accuracy at most 0.01 below the reference, RMSE at most 3 % above it. A drawn
 * table of 100,000 rows and 50 columns: fit 60 s, run 50,000 rows/s.
 */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { fitTabular } from '../../core/model/tabular/fit/fit-tabular.ts'
import { openTabular } from '../../core/model/tabular/recipe/open-tabular.ts'
import { createRandom } from '../../core/model/random.ts'
import { report } from '../harness/report.ts'

const FIT_SECONDS = 60
const ROWS_PER_SECOND = 50_000

const DataSet = z.object({
  name: z.string(),
  target: z.enum(['label', 'number']),
  reference: z.number(),
  folds: z.array(z.int()),
  rows: z.array(z.object({ input: z.json(), output: z.union([z.string(), z.number()]) })).min(10),
})
type DataSet = z.infer<typeof DataSet>
type TableRow = Readonly<Record<string, string | number>>

function fit(rows: DataSet['rows'], target: DataSet['target']) {
  const fitted = fitTabular(rows, { target, seed: 0, share: 1, checkpoint: () => undefined })
  if ('reason' in fitted) throw new Error(fitted.reason)
  return fitted
}

function benchSet({ name, target, reference, folds, rows }: DataSet): TableRow {
  let right = 0
  let squares = 0
  let covered = 0
  const shares: string[] = []
  let bytes = 0
  const start = process.cpuUsage()
  for (const fold of new Set(folds)) {
    const fitted = fit(
      rows.filter((_, i) => folds[i] !== fold),
      target,
    )
    const model = openTabular(fitted.recipe, fitted.weights)
    shares.push(`${fitted.linearShare}/${fitted.rounds}`)
    bytes = Math.max(bytes, fitted.weights.length)
    for (const [i, row] of rows.entries()) {
      if (folds[i] !== fold) continue
      const { output, interval } = model.answer(row.input)
      right += Number(output === row.output)
      if (typeof output !== 'number' || typeof row.output !== 'number') continue
      squares += (output - row.output) ** 2
      covered += Number(interval !== undefined && interval[0] <= row.output && row.output <= interval[1])
    }
  }
  const used = process.cpuUsage(start)
  const isLabel = target === 'label'
  const value = isLabel ? right / rows.length : Math.sqrt(squares / rows.length)
  const holds = isLabel ? value >= reference - 0.01 : value <= reference * 1.03
  if (!holds) process.exitCode = 1
  return {
    what: `${name}, ${isLabel ? 'accuracy' : 'RMSE'}`,
    value: Number(value.toFixed(4)),
    limit: Number((isLabel ? reference - 0.01 : reference * 1.03).toFixed(4)),
    'in interval': isLabel ? '-' : Number((covered / rows.length).toFixed(3)),
    'linear share/rounds': shares.join(' '),
    'weights B': bytes,
    'cpu s': Number(((used.user + used.system) / 1e6).toFixed(1)),
  }
}

/** A table of numbers with interactions, labels of three kinds and some missing values. */
function drawTable(count: number, columns: number): DataSet['rows'] {
  const random = createRandom(0, 'bench-table')
  return Array.from({ length: count }, () => {
    const values = Array.from({ length: columns }, () => random.normal())
    const [a = 0, b = 0, c = 0, d = 0] = values
    const score = a * b + 2 * Math.sin(c) + d + 0.3 * random.normal()
    const input = Object.fromEntries(values.map((value, i) => [`c${i}`, random.float() < 0.02 ? null : value]))
    return { input, output: score < -0.5 ? 'low' : score < 1 ? 'middle' : 'high' }
  })
}

function benchSize(): TableRow[] {
  const rows = drawTable(100_000, 50)
  const start = process.cpuUsage()
  const fitted = fit(rows, 'label')
  const used = process.cpuUsage(start)
  const seconds = (used.user + used.system) / 1e6
  const model = openTabular(fitted.recipe, fitted.weights)
  const fresh = rows.slice(0, 50_000)
  for (const row of fresh.slice(0, 5000)) model.answer(row.input)
  const runStart = process.cpuUsage()
  const right = fresh.filter((row) => model.answer(row.input).output === row.output).length
  const run = process.cpuUsage(runStart)
  const speed = fresh.length / ((run.user + run.system) / 1e6)
  if (seconds > FIT_SECONDS || speed < ROWS_PER_SECOND) process.exitCode = 1
  const what = '100,000 rows x 50 columns'
  const shares = `${fitted.linearShare}/${fitted.rounds}`
  return [
    {
      what: `${what}: fit, processor s`,
      value: Number(seconds.toFixed(1)),
      limit: FIT_SECONDS,
      'linear share/rounds': shares,
      'weights B': fitted.weights.length,
    },
    {
      what: `${what}: run, rows per processor s`,
      value: Math.round(speed),
      limit: ROWS_PER_SECOND,
      'in interval': `right ${right / fresh.length}`,
    },
  ]
}

const { values: options } = parseArgs({ options: { data: { type: 'string' }, only: { type: 'string' } } })
const { data, only = '' } = options
const table: TableRow[] = []
const files = data === undefined ? [] : (await readdir(data)).filter((file) => file.endsWith('.json')).sort()
for (const file of files) {
  if (data === undefined || !file.includes(only)) continue
  table.push(benchSet(DataSet.parse(JSON.parse(await readFile(path.join(data, file), 'utf8')))))
  console.log(JSON.stringify(table.at(-1)))
}
if ('size'.includes(only)) table.push(...benchSize())
await report('tabular', table)
