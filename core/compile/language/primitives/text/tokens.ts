import type { TokenName } from '../../names.ts'
import { ALNUM, ALPHA, ANY_DIGIT, classBits, DIGIT, LOWER, PUNCT, SPACE, UPPER } from './char-classes.ts'

/**
 * Matches of a pattern in one text, flat: `[start0, end0, start1, end1, ...]`, from left to right, never overlapping.
 * Ends are exclusive; positions count UTF-16 code units.
 */
export type Matches = readonly number[]

/** A scanner appends every match in the text. */
type Scanner = (text: string, out: number[]) => void

/** Maximal runs of units that have one of the bits. */
function runsOf(bits: number): Scanner {
  return (text, out) => {
    const length = text.length
    let at = 0
    while (at < length) {
      if ((classBits(text.charCodeAt(at)) & bits) === 0) {
        at++
        continue
      }
      const start = at++
      while (at < length && (classBits(text.charCodeAt(at)) & bits) !== 0) at++
      out.push(start, at)
    }
  }
}

/** Maximal runs of units that have none of the bits. */
function runsWithout(bits: number): Scanner {
  return (text, out) => {
    const length = text.length
    let at = 0
    while (at < length) {
      if ((classBits(text.charCodeAt(at)) & bits) !== 0) {
        at++
        continue
      }
      const start = at++
      while (at < length && (classBits(text.charCodeAt(at)) & bits) === 0) at++
      out.push(start, at)
    }
  }
}

function isWordUnit(unit: number): boolean {
  return unit === 95 || (classBits(unit) & ALNUM) !== 0
}

function isWordJoiner(unit: number): boolean {
  return unit === 39 || unit === 45 || unit === 0x2019
}

const scanWords: Scanner = (text, out) => {
  const length = text.length
  let at = 0
  while (at < length) {
    if (!isWordUnit(text.charCodeAt(at))) {
      at++
      continue
    }
    const start = at++
    while (at < length) {
      const unit = text.charCodeAt(at)
      if (isWordUnit(unit)) at++
      else if (isWordJoiner(unit) && at + 1 < length && isWordUnit(text.charCodeAt(at + 1))) at += 2
      else break
    }
    out.push(start, at)
  }
}

const scanProper: Scanner = (text, out) => {
  const length = text.length
  let at = 0
  while (at < length) {
    if ((classBits(text.charCodeAt(at)) & UPPER) === 0) {
      at++
      continue
    }
    const start = at++
    while (at < length && (classBits(text.charCodeAt(at)) & LOWER) !== 0) at++
    if (at > start + 1) out.push(start, at)
  }
}

function isDigitAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 48 && unit <= 57
}

/** End of the integer digits that start at `at`, with groups of `,ddd` when the digits are grouped throughout. */
function endOfInteger(text: string, at: number): number {
  let end = at
  while (isDigitAt(text, end)) end++
  if (end - at > 3) return end
  let grouped = end
  while (
    text.charCodeAt(grouped) === 44 &&
    isDigitAt(text, grouped + 1) &&
    isDigitAt(text, grouped + 2) &&
    isDigitAt(text, grouped + 3) &&
    !isDigitAt(text, grouped + 4)
  ) {
    grouped += 4
  }
  return grouped
}

const scanNumbers: Scanner = (text, out) => {
  const length = text.length
  let at = 0
  while (at < length) {
    if (!isDigitAt(text, at)) {
      at++
      continue
    }
    let start = at
    let end = endOfInteger(text, at)
    if (text.charCodeAt(end) === 46 && isDigitAt(text, end + 1)) {
      end += 2
      while (isDigitAt(text, end)) end++
    }
    const before = start > 0 ? text.charCodeAt(start - 1) : 0
    // A sign belongs to the number only where it cannot be a hyphen or an operator: `10-20` holds 10 and 20.
    const isSigned = before === 45 || before === 43
    if (isSigned && !(start > 1 && (classBits(text.charCodeAt(start - 2)) & (ALNUM | PUNCT)) !== 0)) start--
    out.push(start, end)
    at = end
  }
}

const scanLines: Scanner = (text, out) => {
  const length = text.length
  let start = 0
  for (let at = 0; at <= length; at++) {
    const unit = at < length ? text.charCodeAt(at) : 10
    if (unit !== 10 && unit !== 13) continue
    if (at > start) out.push(start, at)
    start = at + 1
  }
}

const SCANNERS: Readonly<Record<TokenName, Scanner>> = {
  digits: runsOf(DIGIT),
  lower: runsOf(LOWER),
  upper: runsOf(UPPER),
  alpha: runsOf(ALPHA),
  alnum: runsOf(ALNUM),
  space: runsOf(SPACE),
  word: scanWords,
  proper: scanProper,
  number: scanNumbers,
  nonspace: runsWithout(SPACE),
  punct: runsOf(PUNCT),
  line: scanLines,
  start: (_text, out) => void out.push(0, 0),
  end: (text, out) => void out.push(text.length, text.length),
  anyDigits: runsOf(ANY_DIGIT),
}

/** Every match of a named token, in one linear scan. */
export function tokenMatches(text: string, token: TokenName): Matches {
  const out: number[] = []
  SCANNERS[token](text, out)
  return out
}

/** Every occurrence of a literal, from left to right, without overlaps. An empty literal never matches. */
export function literalMatches(text: string, literal: string): Matches {
  const out: number[] = []
  if (literal === '') return out
  let at = text.indexOf(literal)
  while (at !== -1) {
    const end = at + literal.length
    out.push(at, end)
    at = text.indexOf(literal, end)
  }
  return out
}
