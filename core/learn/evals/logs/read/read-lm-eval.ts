import { z } from 'zod'
import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'
import type { RowResponses } from '../../scoring/responses.ts'
import type { EvalFigure } from '../../scoring/summarize.ts'
import type { RowScore } from '../../scoring/score-row.ts'
import {
  decideRows,
  Doc,
  DocId,
  faultyLog,
  importedFigure,
  importedRow,
  parsePart,
  type ImportedLog,
  type JsonBounds,
  type LogPart,
} from './imported.ts'

const Results = z.looseObject({
  results: z.record(z.string(), z.record(z.string(), z.json())),
  'n-samples': z.record(z.string(), z.looseObject({ effective: z.int() })).optional(),
  higher_is_better: z.record(z.string(), z.record(z.string(), z.boolean().nullable())).optional(),
  config: z.looseObject({ model: z.string(), model_args: z.json().optional() }).optional(),
  model_name: z.string().optional(),
})

const Line = z.looseObject({
  doc_id: DocId,
  doc: Doc,
  target: z.json(),
  arguments: z.json().optional(),
  resps: z.array(z.array(z.json())),
  filtered_resps: z.array(z.json()).optional(),
  filter: z.string().default('none'),
  metrics: z.array(z.string()),
})
type Line = z.output<typeof Line>

const SAMPLES = /(?:^|\/)samples_(.+)_\d{4}-\d{2}-\d{2}T[\d.-]+\.jsonl$/

/** Returns true for a file of samples, by its name. */
export function isSamplesFile(name: string): boolean {
  return SAMPLES.test(name)
}

/**
 * Reads the results and samples of lm-evaluation-harness 0.4 (`--output_path`, `--log_samples`). Throws `invalid_eval_log`
 * with the file, and with the line of samples.
 */
export function readLmEvalLog(parts: readonly LogPart[], upload: string, bounds: JsonBounds): ImportedLog {
  const resultsPart = parts.find(({ name }) => /(?:^|\/)results[^/]*\.json$/.test(name))
  if (resultsPart === undefined) throw faultyLog(upload, 'has no results_….json')
  const results = { name: resultsPart.name, text: Buffer.from(resultsPart.bytes).toString('utf8') }
  const told = parsePart(Results, results, bounds)
  const samples = parts.filter(({ name }) => isSamplesFile(name))
  if (samples.length === 0) throw faultyLog(upload, 'has no samples_….jsonl: run with --log_samples')
  const named = samples.map((part) => ({ part, task: taskOf(part.name, Object.keys(told.results)) }))
  const rows = named.flatMap(({ part, task }) => rowsOf(part, task, bounds))
  const tasks = named.map(({ task }) => task)
  const args = told.config?.model_args
  const model =
    told.model_name ?? [told.config?.model ?? 'unknown', typeof args === 'string' ? args : ''].join(' ').trim()
  return {
    name: tasks.join(', ').slice(0, 200),
    model,
    tasks,
    rows: decideRows(rows),
    figures: tasks.flatMap((task) => {
      const n = told['n-samples']?.[task]?.effective ?? rows.filter(({ sample }) => sample.task === task).length
      return figuresOf(task, told.results[task] ?? {}, { n, better: told.higher_is_better?.[task] ?? {} })
    }),
  }
}

function taskOf(file: string, tasks: readonly string[]): string {
  const [, written = ''] = SAMPLES.exec(file) ?? []
  const found = tasks.find((task) => task.replaceAll(/[^\w.-]/g, '_') === written || task === written)
  if (found === undefined) throw faultyLog(file, 'belongs to no task of the results')
  return found
}

function figuresOf(
  task: string,
  results: Readonly<Record<string, Json>>,
  { n, better }: { readonly n: number; readonly better: Readonly<Record<string, boolean | null>> },
): readonly EvalFigure[] {
  return Object.entries(results).flatMap(([key, value]) => {
    const at = key.indexOf(',')
    if (at < 1 || typeof value !== 'number' || key.slice(0, at).endsWith('_stderr')) return []
    const [metric, filter] = [key.slice(0, at), key.slice(at + 1)]
    const error = results[`${metric}_stderr,${filter}`]
    const stderr = typeof error === 'number' ? error : null
    return [importedFigure({ task, filter, metric, value, stderr, n }, better[metric] ?? undefined)]
  })
}

/** A line for each row and filter becomes one row. */
function rowsOf({ name, bytes }: LogPart, task: string, bounds: JsonBounds) {
  const byDoc = new Map<number, Line[]>()
  const lines = Buffer.from(bytes).toString('utf8').split('\n')
  for (const [at, text] of lines.entries()) {
    if (text.trim() === '') continue
    const line = parsePart(Line, { name, text, line: at + 1 }, bounds)
    const known = byDoc.get(line.doc_id)
    if (known === undefined) byDoc.set(line.doc_id, [line])
    else known.push(line)
  }
  return [...byDoc.values()].flatMap((of) => {
    const [first] = of
    if (first === undefined) return []
    const { doc_id: docId, doc, target } = first
    const responses = responsesOf(first.resps)
    const scores = of.map((line) => scoreOf(line, responses))
    return [importedRow({ task, docId, doc, context: contextOf(first), target, choices: null, responses, scores })]
  })
}

function scoreOf(line: Line, { type }: RowResponses): RowScore {
  const metrics: Record<string, number> = {}
  for (const metric of line.metrics) {
    const value = line[metric]
    if (typeof value === 'number') metrics[metric] = value
    if (typeof value === 'boolean') metrics[metric] = value ? 1 : 0
  }
  return { filter: line.filter, filtered: type === 'texts' ? (line.filtered_resps?.[0] ?? null) : null, metrics }
}

/** Texts, or pairs of a log-probability and whether it is greedy, which are written as texts too. */
function responsesOf(resps: readonly (readonly Json[])[]): RowResponses {
  const [[first] = []] = resps
  if (!Array.isArray(first))
    return {
      type: 'texts',
      texts: (resps[0] ?? []).map((text: Json) => (typeof text === 'string' ? text : JSON.stringify(text))),
    }
  return {
    type: 'likelihoods',
    likelihoods: resps.map(([pair]) => {
      const [logProb, isGreedy]: readonly Json[] = Array.isArray(pair) ? pair : []
      return { logProb: Number(logProb ?? 0), isGreedy: isGreedy === true || isGreedy === 'True' }
    }),
  }
}

function contextOf({ arguments: given }: Line): string {
  const first =
    given !== undefined && isJsonObject(given) ? given['gen_args_0'] : Array.isArray(given) ? given[0] : undefined
  const text = first !== undefined && isJsonObject(first) ? first['arg_0'] : Array.isArray(first) ? first[0] : undefined
  return typeof text === 'string' ? text : ''
}
