import type { Json, JsonObject } from '../../../kernel/json/json.ts'

/** Types of rows, as TRL names them: language modelling, prompt with completion, preference, unpaired preference. */
export const ROW_TYPES = ['text', 'prompt_completion', 'preference', 'unpaired'] as const
/** One of them. */
export type RowType = (typeof ROW_TYPES)[number]

/** Forms of the values of a row: texts, lists of messages, or other JSON. */
export const ROW_FORMS = ['plain', 'messages', 'json'] as const
/** One of them. */
export type RowForm = (typeof ROW_FORMS)[number]

/** A row as it is stored: its members are the columns of TRL's format. */
export interface RowContent {
  readonly type: RowType
  readonly form: RowForm
  readonly row: JsonObject
}

/** Columns of each type, in the order in which files have them. */
export const COLUMNS: Readonly<Record<RowType, readonly string[]>> = {
  text: ['text', 'messages'],
  prompt_completion: ['prompt', 'completion'],
  preference: ['prompt', 'chosen', 'rejected'],
  unpaired: ['prompt', 'completion', 'label'],
}

/** A row as an input with its output; `output` is null where the row has only an input. */
export interface RowPair {
  readonly input: Json
  readonly output: Json
}

/** Returns the input of a row and what it teaches: of a conversation its last answer, of a preference the chosen one. */
export function pairOf(row: JsonObject): RowPair {
  const { text, messages, prompt, completion, chosen } = row
  if (text !== undefined) return { input: text, output: null }
  if (Array.isArray(messages)) return lastAnswer(messages)
  if (chosen === undefined) return { input: prompt ?? null, output: completion ?? null }
  return prompt === undefined && Array.isArray(chosen) ? lastAnswer(chosen) : { input: prompt ?? '', output: chosen }
}

function lastAnswer(messages: readonly Json[]): RowPair {
  const last = messages.at(-1)
  const isAnswer = typeof last === 'object' && last !== null && 'role' in last && last['role'] === 'assistant'
  return isAnswer ? { input: messages.slice(0, -1), output: [last] } : { input: messages, output: null }
}

/** Returns the texts of a value: of messages their contents, of other JSON its leaves. */
export function textOf(value: Json): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return String(value)
  if (isList(value)) return value.map(textOf).join('\n')
  const { role, content } = value
  if (typeof role === 'string' && typeof content === 'string') return content
  return Object.keys(value)
    .sort()
    .map((member) => textOf(value[member] ?? null))
    .join(' ')
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** Returns the output of a row where it can be a label: that of a pair or a last answer, or the label of an unpaired row. */
export function labelOf({ type, row }: RowContent): Json {
  if (type === 'unpaired') return row['label'] ?? null
  if (type === 'preference') return null
  const { output } = pairOf(row)
  const [only, ...more] = isList(output) ? output : []
  if (more.length > 0 || typeof only !== 'object' || only === null || isList(only)) return output
  return only['content'] ?? null
}
