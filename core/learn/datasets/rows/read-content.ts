import { invalidField } from '../../../kernel/errors.ts'
import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import { HEAVIEST, LIGHTEST, marginWeight } from '../../../model/training/data/margin-weight.ts'
import { looksLikeMessages, readConversation, readMessages } from './messages.ts'
import { COLUMNS, type RowContent, type RowForm, type RowType } from './row-content.ts'

/** Columns that say something of a row beside its content. */
const ABOUT = new Set(['id', 'conversation_id', 'kind'])
/** Other names of the columns of a pair, the first that is there counts. */
const INPUTS = ['prompt', 'input'] as const
const OUTPUTS = ['completion', 'output', 'expected', 'response'] as const

/**
 * Reads one object of a file as a row. Its columns decide on its form: ShareGPT (`conversations`), Alpaca (`instruction`,
 * `input`, `output`), TRL's types (`text`, `messages`, `prompt` with `completion`, `chosen` with `rejected`, `label`),
 * pairs (`input`, `output`), and tables whose other columns are the input. Throws `validation_failed` with the column.
 */
export function readContent(given: JsonObject, field: string): RowContent {
  const value = present(given)
  const has = (name: string): boolean => value[name] !== undefined
  if (has('conversations')) {
    return content('text', 'messages', { messages: readConversation(value['conversations'], `${field}.conversations`) })
  }
  if (has('chosen') || has('rejected')) return readPreference(value, field)
  if (has('messages')) {
    return content('text', 'messages', { messages: readMessages(value['messages'], `${field}.messages`) })
  }
  if (has('instruction')) return readAlpaca(value, field)
  const output = OUTPUTS.find(has)
  if (output === undefined) {
    if (!has('text')) throw invalidField(field, unknownColumns(Object.keys(value)))
    // A classification: the text with its label.
    if (has('label')) return readPair({ prompt: value['text'] ?? null, answer: value['label'] ?? null }, field)
    return content('text', 'plain', { text: textCell(value['text'], `${field}.text`) })
  }
  const input = INPUTS.find(has)
  const prompt = input === undefined ? otherColumns(value, output, field) : (value[input] ?? null)
  const answer = value[output] ?? null
  if (has('label') && input === 'prompt' && output === 'completion') {
    return readUnpaired(value, { prompt, answer }, field)
  }
  return readPair({ prompt, answer }, field)
}

function readPair({ prompt, answer }: { prompt: Json; answer: Json }, field: string): RowContent {
  if (looksLikeMessages(prompt) && looksLikeMessages(answer)) {
    const row = {
      prompt: readMessages(prompt, `${field}.prompt`),
      completion: readMessages(answer, `${field}.completion`),
    }
    return content('prompt_completion', 'messages', row)
  }
  return content('prompt_completion', formOf([prompt, answer]), { prompt, completion: answer })
}

function readUnpaired(
  value: JsonObject,
  { prompt, answer }: { prompt: Json; answer: Json },
  field: string,
): RowContent {
  const label = booleanOf(value['label'])
  if (label === null) throw invalidField(`${field}.label`, 'must be true or false beside prompt and completion')
  const pair = readPair({ prompt, answer }, field)
  return content('unpaired', pair.form, { ...pair.row, label, ...weightOf(value, field) })
}

function readPreference(value: JsonObject, field: string): RowContent {
  const { chosen, rejected, prompt } = value
  if (chosen === undefined) throw invalidField(`${field}.chosen`, 'is required beside rejected')
  if (rejected === undefined) throw invalidField(`${field}.rejected`, 'is required beside chosen')
  if (looksLikeMessages(chosen) && looksLikeMessages(rejected)) {
    const row = {
      ...(prompt !== undefined && { prompt: readMessages(prompt, `${field}.prompt`) }),
      chosen: readMessages(chosen, `${field}.chosen`),
      rejected: readMessages(rejected, `${field}.rejected`),
    }
    return content('preference', 'messages', { ...row, ...weightOf(value, field) })
  }
  const row = { ...(prompt !== undefined && { prompt }), chosen, rejected }
  return content('preference', formOf(Object.values(row)), { ...row, ...weightOf(value, field) })
}

/**
 * The weight of a preference, which stays inside its row: as given, or from the margin by which the chosen answer is better:
 * stated, else the difference of the scores, else by the words that the answers share with a reference (reference 1). None
 * without any of these.
 */
function weightOf(value: JsonObject, field: string): { readonly weight?: number } {
  const number = (name: string): number | undefined => {
    const given = value[name]
    if (given === undefined) return undefined
    const read = typeof given === 'string' && given.trim() !== '' ? Number(given) : given
    if (typeof read !== 'number' || !Number.isFinite(read)) throw invalidField(`${field}.${name}`, 'must be a number')
    return read
  }
  const weight = number('weight')
  if (weight !== undefined) {
    if (weight < LIGHTEST || weight > HEAVIEST) {
      throw invalidField(`${field}.weight`, `must be from ${LIGHTEST} to ${HEAVIEST}`)
    }
    return { weight }
  }
  const [chosen, rejected] = [number('chosen_score'), number('rejected_score')]
  const scored = chosen === undefined || rejected === undefined ? undefined : chosen - rejected
  const margin = number('margin') ?? scored ?? marginByReference(value)
  return margin === undefined ? {} : { weight: marginWeight(margin) }
}

function marginByReference(value: JsonObject): number | undefined {
  const reference = value['reference'] ?? value['seed_output']
  const { chosen, rejected } = value
  if (typeof reference !== 'string' || typeof chosen !== 'string' || typeof rejected !== 'string') return undefined
  return wordOverlap(chosen, reference) - wordOverlap(rejected, reference)
}

/** Share of the words of two texts that both have. */
function wordOverlap(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  const all = a.union(b).size
  return all === 0 ? 0 : a.intersection(b).size / all
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))
}

/** Alpaca's three columns as one prompt; with `system` or `history`, as LLaMA-Factory has them, as messages. */
function readAlpaca(value: JsonObject, field: string): RowContent {
  const instruction = textCell(value['instruction'], `${field}.instruction`)
  const input = value['input'] === undefined ? '' : textCell(value['input'], `${field}.input`)
  const output = textCell(value['output'], `${field}.output`)
  const prompt = input.trim() === '' ? instruction : `${instruction}\n\n${input}`
  const { system, history } = value
  if (system === undefined && history === undefined) {
    return content('prompt_completion', 'plain', { prompt, completion: output })
  }
  const turns = [
    ...(system === undefined ? [] : [{ role: 'system', content: textCell(system, `${field}.system`) }]),
    ...pastTurns(history, `${field}.history`),
    { role: 'user', content: prompt },
  ]
  return content('prompt_completion', 'messages', {
    prompt: turns,
    completion: [{ role: 'assistant', content: output }],
  })
}

function pastTurns(history: Json | undefined, field: string): readonly JsonObject[] {
  if (history === undefined) return []
  if (!Array.isArray(history)) throw invalidField(field, 'must be a list of pairs')
  return history.flatMap((pair: Json, at) => {
    const [asked, answered] = Array.isArray(pair) ? pair : []
    return [
      { role: 'user', content: textCell(asked, `${field}[${at}][0]`) },
      { role: 'assistant', content: textCell(answered, `${field}[${at}][1]`) },
    ]
  })
}

/** The columns of a table beside its output, as the input. */
function otherColumns(value: JsonObject, output: string, field: string): Json {
  const rest = Object.entries(value).filter(([name]) => name !== output && !ABOUT.has(name))
  if (rest.length === 0) throw invalidField(field, `has ${output} alone; an input is missing`)
  return Object.fromEntries(rest)
}

function textCell(value: Json | undefined, field: string): string {
  if (typeof value !== 'string') throw invalidField(field, value === undefined ? 'is required' : 'must be a text')
  return value
}

function booleanOf(value: Json | undefined): boolean | null {
  if (typeof value === 'boolean') return value
  if (value === 1 || value === '1') return true
  if (value === 0 || value === '0') return false
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  return text === 'true' ? true : text === 'false' ? false : null
}

function formOf(values: readonly Json[]): RowForm {
  return values.every((value) => typeof value === 'string') ? 'plain' : 'json'
}

function content(type: RowType, form: RowForm, row: JsonObject): RowContent {
  return { type, form, row }
}

/** The members that hold something: Parquet and CSV have a cell for each column. */
function present(value: JsonObject): JsonObject {
  return Object.values(value).includes(null)
    ? Object.fromEntries(Object.entries(value).filter(([, cell]) => cell !== null))
    : value
}

function unknownColumns(names: readonly string[]): string {
  const shown = names.slice(0, 10).join(', ')
  const known = Object.values(COLUMNS)
    .map((columns) => columns.join(' + '))
    .join('; ')
  return `has columns of no known type (${shown === '' ? 'none' : shown}); known are ${known}; input + output; instruction + output; conversations`
}
