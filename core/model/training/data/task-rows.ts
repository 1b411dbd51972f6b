import { z } from 'zod'
import { KERNEL_ERRORS, type FieldProblem } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import { parseJsonText } from '../../../kernel/json/json-text.ts'
import type { Json } from '../../../kernel/json/json.ts'
import type { ObjectiveName } from '../objectives/objective.ts'
import type { PromptEncoder } from '../prompt.ts'
import type { FitRow } from '../rows.ts'
import { distillationRows } from './distillation.ts'
import {
  encodeLabelled,
  encodePairs,
  encodeRows,
  type EncodedRows,
  encodeTaught,
  type LabelledTaskRow,
  type TaskPair,
  type TaskRow,
  type TaughtTaskRow,
} from './encode-rows.ts'
import { marginWeight } from './margin-weight.ts'

/** Rows of a task in the form of their objective. */
export type TaskRows =
  | { readonly kind: 'answers'; readonly rows: readonly TaskRow[] }
  | { readonly kind: 'pairs'; readonly rows: readonly TaskPair[] }
  | { readonly kind: 'labels'; readonly rows: readonly LabelledTaskRow[] }
  | { readonly kind: 'distributions'; readonly rows: readonly TaughtTaskRow[] }

const MOST_DEPTH = 64
const Value = z.json()
const weight = z.number().min(0).max(1e6).exactOptional()
const id = z.string().min(1).max(200).exactOptional()

const AnswerLine = z.object({ id, input: Value, output: Value, weight })
const SampledLine = z.object({ id, input: Value, outputs: z.array(Value).min(1) })
const PairLine = z.object({
  id,
  input: Value,
  chosen: Value,
  rejected: Value,
  weight,
  margin: z.number().exactOptional(),
  chosen_score: z.number().exactOptional(),
  rejected_score: z.number().exactOptional(),
})
const Numbers = z.array(z.array(z.number()).min(1)).min(1)
const TaughtLine = z.object({
  id,
  input: Value,
  output: Value,
  weight,
  teacher_log_probs: Numbers,
  teacher_ids: z
    .array(z.array(z.int().min(0)).min(1))
    .min(1)
    .exactOptional(),
})
const LabelLine = z.object({ id, input: Value, output: Value, label: z.boolean(), weight })

/**
 * Reads rows from JSONL, one row per line. `prompt` and `completion` are other names of `input` and `output`. `supervised`
 * takes `{input, output, weight?}`; `distillation` also `{input, outputs}` with the samples of a teacher; `dpo`, `simpo` and
 * `orpo` take `{input, chosen, rejected}`, with `weight`, `margin` or `chosen_score` and `rejected_score`; `kto` takes
 * `{input, output, label}`, or pairs, each of which is a desirable and an undesirable answer. `gkd` takes the rows of
 * `supervised`; `kd` takes `{input, output, teacher_log_probs}` with a list for each token of the answer, the one that ends
 * it included: the log-probabilities or logits of the whole vocabulary in order or, with `teacher_ids` of the same form, the
 * log-probabilities of the likeliest tokens. Throws `no_training_rows`, or `invalid_json` and `validation_failed` that name
 * the line.
 */
export function readTaskRows(jsonl: string, objective: ObjectiveName): TaskRows {
  const lines = jsonl
    .split('\n')
    .flatMap((text, index) => (text.trim() === '' ? [] : [{ text, name: `line[${index + 1}]` }]))
  if (lines.length === 0) throw MODEL_ERRORS.no_training_rows('there are no rows to train on')
  const values = lines.map(({ text, name }) => ({ name, value: withUsualNames(parseJsonText(text, MOST_DEPTH, name)) }))
  switch (objective) {
    case 'supervised':
    case 'gkd':
      return { kind: 'answers', rows: values.map((line) => withId(line, AnswerLine)) }
    case 'distillation':
      return { kind: 'answers', rows: values.flatMap(readSampled) }
    case 'dpo':
    case 'simpo':
    case 'orpo':
      return { kind: 'pairs', rows: values.map(readPair) }
    case 'kto':
      return { kind: 'labels', rows: values.flatMap(readLabelled) }
    case 'kd':
      return { kind: 'distributions', rows: values.map((line) => readTaught(line)) }
  }
}

/** Encodes rows; long prompts are cut and reported. Throws as `encodeRows` does. */
export function encodeTaskRows(task: TaskRows, encoder: PromptEncoder, maxLength: number): EncodedRows<FitRow> {
  switch (task.kind) {
    case 'answers':
      return encodeRows(task.rows, encoder, maxLength)
    case 'pairs':
      return encodePairs(task.rows, encoder, maxLength)
    case 'labels':
      return encodeLabelled(task.rows, encoder, maxLength)
    case 'distributions':
      return encodeTaught(task.rows, encoder, maxLength)
  }
}

interface Line {
  readonly name: string
  readonly value: Json
}

function readSampled(line: Line): readonly TaskRow[] {
  if (!hasMember(line.value, 'outputs')) return [withId(line, AnswerLine)]
  return distillationRows([withId(line, SampledLine)])
}

function readPair(line: Line): TaskPair {
  const { margin, chosen_score: better, rejected_score: worse, ...row } = withId(line, PairLine)
  const scored = better !== undefined && worse !== undefined ? better - worse : undefined
  return { ...row, weight: row.weight ?? marginWeight(margin ?? scored) }
}

function readTaught(line: Line): TaughtTaskRow {
  const { teacher_log_probs: logProbs, teacher_ids: ids, ...row } = withId(line, TaughtLine)
  return { ...row, logProbs, ids: ids ?? null }
}

function readLabelled(line: Line): readonly LabelledTaskRow[] {
  if (!hasMember(line.value, 'chosen')) {
    const { label, ...row } = withId(line, LabelLine)
    return [{ ...row, isDesirable: label }]
  }
  const { id: rowId, input, chosen, rejected, weight: own } = readPair(line)
  const rest = { input, ...(own !== undefined && { weight: own }) }
  return [
    { id: `${rowId}#1`, output: chosen, isDesirable: true, ...rest },
    { id: `${rowId}#2`, output: rejected, isDesirable: false, ...rest },
  ]
}

function withId<Row extends { readonly id?: string | undefined }>(
  { name, value }: Line,
  schema: z.ZodType<Row>,
): Omit<Row, 'id'> & { readonly id: string } {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ...parsed.data, id: parsed.data.id ?? name }
  const fields: FieldProblem[] = parsed.error.issues.map(({ path, message }) => ({
    field: [name, ...path].join('.'),
    message,
  }))
  const [first] = fields
  throw KERNEL_ERRORS.validation_failed(`${first?.field ?? name}: ${first?.message ?? 'is no row'}`, {
    details: { fields },
  })
}

function hasMember(value: Json, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
}

function withUsualNames(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const names: Readonly<Record<string, string>> = { prompt: 'input', completion: 'output' }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [names[name] ?? name, member]))
}
