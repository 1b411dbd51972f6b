import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'

/** Returns a value as Python's `str` writes it. */
export function pythonText(value: Json): string {
  return typeof value === 'string' ? value : pythonForm(value)
}

/** Returns a value as Python's `repr` writes it. */
function pythonForm(value: Json): string {
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value === 'number') return numberText(value, false)
  if (typeof value === 'string') return quoted(value)
  if (isJsonObject(value)) {
    return `{${Object.entries(value)
      .map(([name, each]) => `${quoted(name)}: ${pythonForm(each)}`)
      .join(', ')}}`
  }
  return `[${value.map(pythonForm).join(', ')}]`
}

/** Returns a number as Python writes it; a float always has a point or an exponent. */
export function numberText(value: number, isFloat: boolean): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf'
  if (Number.isInteger(value) && Math.abs(value) < 1e16) {
    if (!isFloat) return String(value)
    return Object.is(value, -0) ? '-0.0' : `${value}.0`
  }
  const size = Math.abs(value)
  if (Number.isInteger(value) && !isFloat) return BigInt(value).toString()
  const text = size >= 1e16 || size < 1e-4 ? value.toExponential() : String(value)
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}

/** Returns a text as Python's `repr` writes it: in single quotation marks, or in double ones where it has single ones only. */
export function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replaceAll(mark, `\\${mark}`)
    .replaceAll(UNPRINTABLE, escapedForm)
  return mark + escaped + mark
}

/** Characters that Python does not print: controls, unassigned ones, and separators beside the space. */
const UNPRINTABLE = /(?! )[\p{C}\p{Z}]/gu

function escapedForm(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const digits = code.toString(16)
  if (code < 0x100) return `\\x${digits.padStart(2, '0')}`
  return code < 0x1_0000 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' }
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y
const WORD = /True|False|None|true|false|null/y
const WORDS: Readonly<Record<string, boolean | null>> = {
  True: true,
  true: true,
  False: false,
  false: false,
  None: null,
  null: null,
}

/**
 * Reads a literal as Python's `ast.literal_eval` does: texts, numbers, `True`, `False`, `None`, lists and tuples of them.
 * Throws a `SyntaxError` for anything else.
 */
export function readLiteral(text: string): Json {
  let at = 0
  const skip = (): void => {
    while (/\s/.test(text.charAt(at)) && at < text.length) at++
  }
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found === null) return null
    at += found[0].length
    return found[0]
  }
  const readText = (mark: string): string => {
    let read = ''
    for (at++; at < text.length; at++) {
      const char = text.charAt(at)
      if (char === mark) {
        at++
        return read
      }
      if (char !== '\\') read += char
      else {
        const escaped = text.charAt(++at)
        if (escaped === 'u' || escaped === 'x') {
          const digits = text.slice(at + 1, at + (escaped === 'u' ? 5 : 3))
          read += String.fromCharCode(Number.parseInt(digits, 16))
          at += digits.length
        } else read += ESCAPES[escaped] ?? `\\${escaped}`
      }
    }
    throw new SyntaxError('a text does not end')
  }
  const readList = (end: string): Json => {
    const entries: Json[] = []
    at++
    for (;;) {
      skip()
      if (text.charAt(at) === end) {
        at++
        return entries
      }
      if (entries.length > 0) {
        if (text.charAt(at) !== ',') throw new SyntaxError('a comma is missing')
        at++
        skip()
        if (text.charAt(at) === end) continue
      }
      entries.push(read())
    }
  }
  const read = (): Json => {
    skip()
    const char = text.charAt(at)
    if (char === '"' || char === "'") return readText(char)
    if (char === '[') return readList(']')
    if (char === '(') return readList(')')
    const number = take(NUMBER)
    if (number !== null) return Number(number)
    const word = take(WORD)
    if (word !== null) return WORDS[word] ?? null
    throw new SyntaxError(`no literal at character ${at + 1}`)
  }
  const value = read()
  skip()
  if (at < text.length) throw new SyntaxError(`text follows the literal at character ${at + 1}`)
  return value
}
