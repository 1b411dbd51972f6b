import { KERNEL_ERRORS, DomainError } from '../../../../kernel/errors.ts'
import { findJsonFault } from '../../../../kernel/json/json-fault.ts'
import { parseJsonText } from '../../../../kernel/json/json-text.ts'
import type { Json } from '../../../../kernel/json/json.ts'
import { MODEL_ERRORS } from '../../../../model/errors.ts'
import { textError } from '../table-error.ts'

/** A JSON value of a file and the place where it begins. */
export interface JsonItem {
  readonly line: number
  readonly column: number
  readonly text: string
}

/** Bounds on one value. */
export interface ItemBounds {
  readonly chars: number
  readonly depth: number
}

/**
 * Parses a value of a file. Throws as `parseJsonText`, with the name of the value (its line when absent) or the place of
 * a fault in the file.
 */
export function parseItem(
  { line, column, text }: JsonItem,
  { depth }: Pick<ItemBounds, 'depth'>,
  name = `line[${line}]`,
): Json {
  try {
    return parseJsonText(text, depth, name)
  } catch (error) {
    if (!(error instanceof DomainError) || !KERNEL_ERRORS.invalid_json.matches(error)) throw error
    const fault = findJsonFault(text)
    if (fault?.kind !== 'syntax') throw error
    const place = { line: line + fault.line - 1, column: fault.line === 1 ? column + fault.column - 1 : fault.column }
    throw textError(
      place,
      'is not valid JSON; check commas, quotation marks and brackets here',
      KERNEL_ERRORS.invalid_json,
      error,
    )
  }
}

/** Yields the lines of a text that hold a value; blank lines and lines that begin with `//` are skipped. */
export async function* linesOfText(pieces: AsyncIterable<string>, { chars }: ItemBounds): AsyncGenerator<JsonItem> {
  let line = 1
  let pending = ''
  const item = (text: string): JsonItem | null => {
    const trimmed = text.trim()
    if (trimmed === '' || trimmed.startsWith('//')) return null
    return { line, column: text.indexOf(trimmed) + 1, text: trimmed }
  }
  for await (const piece of pieces) {
    const text = pending + piece
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      if (end - start > chars) throw tooLong(line, 1, chars)
      const found = item(text.slice(start, end))
      if (found !== null) yield found
      line++
      start = end + 1
    }
    pending = text.slice(start)
    if (pending.length > chars) throw tooLong(line, 1, chars)
  }
  const last = item(pending)
  if (last !== null) yield last
}

/** Yields the entries of the list that a text holds, each before the next one is read. */
export async function* entriesOfList(pieces: AsyncIterable<string>, { chars }: ItemBounds): AsyncGenerator<JsonItem> {
  let line = 1
  let column = 0
  let depth = 0
  let isQuoted = false
  let isEscaped = false
  let isOver = false
  let entry = ''
  let begin: { line: number; column: number } | null = null
  /** True when an entry must follow: after a comma. */
  let isOwed = false
  const place = () => ({ line, column })
  for await (const piece of pieces) {
    let from = 0
    for (let i = 0; i < piece.length; i++) {
      const char = piece[i] ?? ''
      column++
      if (isQuoted) {
        if (isEscaped) isEscaped = false
        else if (char === '\\') isEscaped = true
        else if (char === '"') isQuoted = false
      } else if (char === ' ' || char === '\t' || char === '\r' || char === '\n') {
        // Between entries it is skipped, inside it belongs to the entry.
      } else if (isOver) {
        throw textError(place(), 'something follows the list; remove it', KERNEL_ERRORS.invalid_json)
      } else if (depth === 0) {
        if (char !== '[') throw notList(place())
        depth = 1
      } else if (depth === 1 && (char === ',' || char === ']')) {
        if (begin === null && (char === ',' || isOwed)) {
          throw textError(place(), 'an entry is missing; remove the comma', KERNEL_ERRORS.invalid_json)
        }
        if (begin !== null) yield { ...begin, text: entry + piece.slice(from, i) }
        entry = ''
        begin = null
        isOwed = char === ','
        isOver = char === ']'
      } else {
        if (begin === null) {
          begin = place()
          from = i
        }
        if (char === '"') isQuoted = true
        else if (char === '{' || char === '[') depth++
        else if (char === '}' || char === ']') depth = Math.max(1, depth - 1)
      }
      if (char === '\n') {
        line++
        column = 0
      }
      if (begin !== null && entry.length + i - from > chars) throw tooLong(begin.line, begin.column, chars)
    }
    if (begin !== null) entry += piece.slice(from)
  }
  if (depth === 0) throw notList({ line, column: Math.max(1, column) })
  if (!isOver) {
    throw textError(
      begin ?? place(),
      'the list ends here without its closing bracket; the file may be cut off, so save it again',
      KERNEL_ERRORS.invalid_json,
    )
  }
}

function notList(place: { readonly line: number; readonly column: number }): DomainError {
  return textError(
    place,
    'the file must hold a list of objects: [ { … }, { … } ]; or one object per line, as .jsonl',
    KERNEL_ERRORS.invalid_json,
  )
}

function tooLong(line: number, column: number, chars: number): DomainError {
  return textError(
    { line, column },
    `an example of more than ${chars} characters begins here; shorten it, or check the line ends and brackets`,
    MODEL_ERRORS.example_too_large,
  )
}
