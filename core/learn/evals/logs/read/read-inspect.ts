import { z } from 'zod'
import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import { isJsonObject } from '../../../../kernel/json/json.ts'
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

const Header = z.looseObject({
  status: z.string(),
  eval: z.looseObject({
    task: z.string().min(1),
    model: z.string().min(1),
    /** The tasks of an evaluation that this service wrote, whose samples name theirs. */
    metadata: z.looseObject({ tasks: z.array(z.string().min(1)).min(1).optional().catch(undefined) }).nullish(),
  }),
  results: z
    .looseObject({
      scores: z.array(
        z.looseObject({
          name: z.string(),
          scored_samples: z.int().nullish(),
          metrics: z.record(z.string(), z.looseObject({ value: z.number().nullable() })),
        }),
      ),
    })
    .nullish(),
})

const Message = z.looseObject({ role: z.string(), content: z.json() })
const Sample = z.looseObject({
  id: z.union([z.string(), z.number()]),
  epoch: z.int().default(1),
  input: z.union([z.string(), z.array(Message)]),
  choices: z.array(z.string()).nullish(),
  target: z.union([z.string(), z.array(z.string())]),
  output: z
    .looseObject({ choices: z.array(z.looseObject({ message: z.looseObject({ content: z.json() }) })).default([]) })
    .nullish(),
  scores: z.record(z.string(), z.looseObject({ value: z.json(), answer: z.string().nullish() })).nullish(),
  metadata: Doc.nullish(),
})

/** Reads the members of an `.eval` file of Inspect (format 2, inspect_ai 0.3.285). Throws `invalid_eval_log` with the member. */
export function readInspectLog(parts: readonly LogPart[], file: string, bounds: JsonBounds): ImportedLog {
  const header = parts.find(({ name }) => name === 'header.json')
  if (header === undefined) throw faultyLog(file, 'has no header.json: the run did not finish')
  const { eval: told, results, status } = parsePart(Header, textOf(header), bounds)
  if (status !== 'success') throw faultyLog('header.json', `the run ended with the status ${status}`)
  const samples = parts.filter(({ name }) => name.startsWith('samples/'))
  if (samples.length === 0) throw faultyLog(file, 'has no samples')
  const named = told.metadata?.tasks
  const read = samples.map((part) => parsePart(Sample, textOf(part), bounds))
  // Another tool's metadata may mean anything by these names: this service names task and row in each sample.
  const places = read.map(({ metadata }) => placeOf(metadata, named ?? []))
  const isOwn = places.every((place) => place !== null)
  const rows = read.map((sample, docId) => rowOf(sample, (isOwn && places[docId]) || { task: told.task, docId }))
  const tasks = [...new Set(rows.map(({ sample }) => sample.task))]
  return {
    name: told.task,
    model: told.model,
    tasks,
    rows: decideRows(rows),
    figures: (results?.scores ?? []).flatMap(({ name, metrics, scored_samples: n }) => {
      const { task, metric, filter } = scorerOf(name, tasks, told.task)
      const value =
        metrics['mean']?.value ??
        metrics['corpus']?.value ??
        metrics['accuracy']?.value ??
        Object.values(metrics)[0]?.value
      if (value === undefined || value === null) return []
      const stderr = metrics['stderr']?.value ?? null
      return [importedFigure({ task, filter, metric, value, stderr, n: n ?? rows.length })]
    }),
  }
}

/** The place of a row in an evaluation. */
interface Place {
  readonly task: string
  readonly docId: number
}

/** Returns the task and the row that a sample of this service names; null for a sample that names none. */
function placeOf(metadata: z.output<typeof Sample>['metadata'], tasks: readonly string[]): Place | null {
  const task = tasks.find((each) => each === metadata?.['task'])
  const docId = DocId.safeParse(metadata?.['doc_id'])
  return task === undefined || !docId.success ? null : { task, docId: docId.data }
}

function rowOf(
  { input, choices, target, output, scores, metadata, id, epoch }: z.output<typeof Sample>,
  { task, docId }: Place,
) {
  const context =
    typeof input === 'string' ? input : input.map(({ role, content }) => `${role}: ${contentText(content)}`).join('\n')
  const given = metadata?.['doc']
  const doc: JsonObject =
    given !== undefined && isJsonObject(given) && Object.keys(given).length > 0
      ? given
      : { id, epoch, input: context, target }
  const texts = (output?.choices ?? []).map(({ message }) => contentText(message.content))
  return importedRow({
    task,
    docId,
    doc,
    context,
    target,
    choices: choices ?? null,
    responses: { type: 'texts', texts },
    scores: scoresOf(scores ?? {}, task, texts[0] ?? ''),
  })
}

/** One score for each filter, with the values that are numbers: Inspect writes C and I for right and wrong. */
function scoresOf(
  scores: NonNullable<z.output<typeof Sample>['scores']>,
  task: string,
  answer: string,
): readonly RowScore[] {
  const byFilter = new Map<string, { filtered: Json; metrics: Record<string, number> }>()
  for (const [name, score] of Object.entries(scores)) {
    const value = valueOf(score.value)
    if (value === null) continue
    const { metric, filter } = scorerOf(name, [task], task)
    const found = byFilter.get(filter) ?? { filtered: score.answer ?? answer, metrics: {} }
    found.metrics[metric] = value
    byFilter.set(filter, found)
  }
  return [...byFilter].map(([filter, { filtered, metrics }]) => ({ filter, filtered, metrics }))
}

const WORDS: Readonly<Record<string, number>> = { C: 1, I: 0, P: 0.5, N: 0 }

function valueOf(value: Json): number | null {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'string' ? (WORDS[value] ?? null) : null
}

/** Reads the name of a scorer as `inspectLog` writes it; that of another tool is a metric. */
function scorerOf(name: string, tasks: readonly string[], usual: string) {
  const task = tasks.find((each) => name.startsWith(`${each}/`)) ?? usual
  const rest = name.startsWith(`${task}/`) ? name.slice(task.length + 1) : name
  const at = rest.indexOf('@')
  return at === -1
    ? { task, metric: rest, filter: 'none' }
    : { task, metric: rest.slice(0, at), filter: rest.slice(at + 1) }
}

function contentText(content: Json): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: Json) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('')
}

function textOf({ name, bytes }: LogPart) {
  return { name, text: Buffer.from(bytes).toString('utf8') }
}
