import type { SensitiveClass } from '../classes.ts'

/** A find in a text: from `start` to before `end`. */
export interface Find {
  readonly start: number
  readonly end: number
  readonly kind: SensitiveClass
}

/** Characters that one look may go to the left: enough for a word and what stands between it and a number. */
export const CONTEXT_CHARS = 40

const DIGIT = 1
const UPPER = 2
const LOWER = 4
const UNDERSCORE = 8
const TRIGGER = 16

const TABLE = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code)
  if (/\d/.test(char)) TABLE[code] = DIGIT | TRIGGER
  else if (/[A-Z]/.test(char)) TABLE[code] = UPPER | TRIGGER
  else if (/[a-z]/.test(char)) TABLE[code] = LOWER
  else if (char === '_') TABLE[code] = UNDERSCORE | TRIGGER
  else if (/[@\-.:=]/.test(char)) TABLE[code] = TRIGGER
}

function flagsOf(code: number): number {
  return code < 128 ? (TABLE[code] ?? 0) : 0
}

/** By code: 1 for an ASCII character at which something sensitive may be recognised. */
export const TRIGGERS = TABLE.map((flags) => ((flags & TRIGGER) === 0 ? 0 : 1))

/** True for an ASCII digit. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** True for A to Z. */
export function isUpper(code: number): boolean {
  return code >= 0x41 && code <= 0x5a
}

/** True for an ASCII letter or digit. */
export function isAlphanumeric(code: number): boolean {
  return (flagsOf(code) & (DIGIT | UPPER | LOWER)) !== 0
}

/** True for a letter, a digit or `_`; characters beyond Latin punctuation count as letters. NaN, the end, is none. */
export function isWord(code: number): boolean {
  if (code < 128) return (flagsOf(code) & (DIGIT | UPPER | LOWER | UNDERSCORE)) !== 0
  return (
    code >= 0xc0 &&
    code !== 0xd7 &&
    code !== 0xf7 &&
    !(code >= 0x2000 && code <= 0x206f) &&
    !(code >= 0x3000 && code <= 0x303f)
  )
}

/** The end of the digits that begin at a place. */
export function digitsEnd(text: string, at: number): number {
  let end = at
  while (isDigit(text.charCodeAt(end))) end++
  return end
}

/** The text just before a place, in lower case. */
export function before(text: string, at: number, chars = CONTEXT_CHARS): string {
  return text.slice(Math.max(0, at - chars), at).toLowerCase()
}
