/** Reasons why a text is not JSON that can be stored as it was sent. */
export type JsonFault =
  | { readonly kind: 'syntax'; readonly line: number; readonly column: number }
  | { readonly kind: 'repeated' | 'rounded'; readonly path: readonly (string | number)[] }

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'next'

/** An open object or list, with the path step of the value being read in it. */
type Frame = { readonly close: '}'; readonly names: Set<string>; step: string } | { readonly close: ']'; step: number }

const SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
const QUOTE = '"'
const BACKSLASH = 0x5c

/**
 * Finds the first fault of a text: the place where it stops being JSON (RFC 8259), a repeated member, or an integer
 * that a double would round, unless `mayRound`. Reads the text step by step, which is slow: call it only for a text with a known fault.
 */
export function findJsonFault(text: string, mayRound = false): JsonFault | undefined {
  const frames: Frame[] = []
  const path = (): (string | number)[] => frames.map(({ step }) => step)
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = endOf(SPACE, text, at)
    const frame = frames.at(-1)
    const char = text[at]
    if (char === undefined) return expected === 'next' && frame === undefined ? undefined : syntaxFault(text, at)
    if (expected === 'colon') {
      if (char !== ':') return syntaxFault(text, at)
      expected = 'value'
      at++
    } else if (frame !== undefined && char === frame.close && canClose(expected, frame)) {
      frames.pop()
      expected = 'next'
      at++
    } else if (expected === 'next') {
      if (frame === undefined || char !== ',') return syntaxFault(text, at)
      if (frame.close === ']') frame.step++
      expected = frame.close === ']' ? 'value' : 'name'
      at++
    } else if (expected === 'name' || expected === 'name or end') {
      const end = char === QUOTE ? endOfText(text, at) : text.length
      const name = readText(text.slice(at, end + 1))
      if (name === undefined || frame?.close !== '}') return syntaxFault(text, at)
      frame.step = name
      if (frame.names.has(name)) return { kind: 'repeated', path: path() }
      frame.names.add(name)
      expected = 'colon'
      at = end + 1
    } else if (char === '{' || char === '[') {
      frames.push(char === '{' ? { close: '}', names: new Set(), step: '' } : { close: ']', step: 0 })
      expected = char === '{' ? 'name or end' : 'value or end'
      at++
    } else {
      const end = char === QUOTE ? endOfText(text, at) + 1 : endOf(NUMBER, text, at, WORD)
      const token = text.slice(at, end)
      if (token === '' || (char === QUOTE && readText(token) === undefined)) return syntaxFault(text, at)
      if (!mayRound && isRounded(token)) return { kind: 'rounded', path: path() }
      expected = 'next'
      at = end
    }
  }
}

/** The index of the quote that closes the text opened at `start`, or the end of the input. */
export function endOfText(text: string, start: number): number {
  let end = text.indexOf(QUOTE, start + 1)
  while (end !== -1) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
    end = text.indexOf(QUOTE, end + 1)
  }
  return text.length
}

function canClose(expected: Expected, frame: Frame): boolean {
  return expected === 'next' || expected === (frame.close === '}' ? 'name or end' : 'value or end')
}

/** Returns the end of the match at `at`; `at` without a match. */
function endOf(pattern: RegExp, text: string, at: number, other?: RegExp): number {
  pattern.lastIndex = at
  if (pattern.test(text)) return pattern.lastIndex
  return other === undefined ? at : endOf(other, text, at)
}

function readText(token: string): string | undefined {
  try {
    const value: unknown = JSON.parse(token)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

/** Below 1e21 JavaScript writes an integer in digits, so the number would be sent back in that form. */
function isRounded(token: string): boolean {
  if (token.length < 16 || !/^-?\d+$/.test(token)) return false
  return String(Number(token)) !== token && BigInt(Number(token)) !== BigInt(token)
}

function syntaxFault(text: string, at: number): JsonFault {
  const before = text.slice(0, at)
  const lineStart = before.lastIndexOf('\n') + 1
  return { kind: 'syntax', line: before.split('\n').length, column: at - lineStart + 1 }
}
