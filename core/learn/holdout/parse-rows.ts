import { invalidField } from '../../kernel/errors.ts'
import { canonicalJson, isJsonObject, type Json } from '../../kernel/json/json.ts'

/** A row of a holdout corpus. */
export interface HoldoutRow {
  readonly input: Json
  readonly output: Json
}

/** Names of the input of a row, in the order in which they are looked for. */
const INPUTS = ['input', 'prompt'] as const
/** Names of its output. */
const OUTPUTS = ['output', 'completion', 'expected'] as const

/**
 * Reads the rows of a corpus: `{input, output}`, `{prompt, completion}` or `{input, expected}`. Throws `validation_failed`,
 * which names the row by its place and quotes nothing of it.
 */
export function parseRows(given: readonly unknown[], field: string, rowBytes: number): readonly HoldoutRow[] {
  return given.map((row, at) => parseRow(row, `${field}[${at}]`, rowBytes))
}

function parseRow(row: unknown, field: string, rowBytes: number): HoldoutRow {
  if (!isRecord(row)) throw invalidField(field, 'must be an object with input and output')
  const input = memberOf(row, INPUTS, field, 'input')
  const output = memberOf(row, OUTPUTS, field, 'output')
  if (input === null) throw invalidField(`${field}.input`, 'must not be null')
  if (Buffer.byteLength(canonicalJson(input)) + Buffer.byteLength(canonicalJson(output)) > rowBytes) {
    throw invalidField(field, `must have at most ${rowBytes} bytes`)
  }
  return { input, output }
}

function memberOf(
  row: Readonly<Record<string, Json>>,
  names: readonly string[],
  field: string,
  wanted: 'input' | 'output',
): Json {
  for (const name of names) {
    const value = row[name]
    if (value !== undefined) return value
  }
  throw invalidField(`${field}.${wanted}`, 'is required')
}

function isRecord(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the rows of a stored corpus. Throws an `Error` for bytes that are none. */
export function readStoredRows(bytes: Uint8Array): readonly HoldoutRow[] {
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8').split('\n')
  return lines.flatMap((line) => {
    if (line === '') return []
    const value: Json = JSON.parse(line)
    const { input, output } = isJsonObject(value) ? value : {}
    if (input === undefined || output === undefined) throw new Error('a stored corpus is damaged')
    return [{ input, output }]
  })
}
