import type { DomainError } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import {
  choice,
  type CodePointRange,
  complement,
  literal,
  mergeRanges,
  type Pattern,
  repeat,
  sequence,
} from './pattern.ts'

const MAX_LENGTH = 4096
const MAX_REPEAT = 1000
const MAX_DEPTH = 50
const NEWLINE: readonly CodePointRange[] = [[10, 10]]

const CLASSES: Readonly<Record<string, readonly CodePointRange[]>> = {
  d: [[48, 57]],
  w: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  s: [
    [9, 10],
    [12, 13],
    [32, 32],
  ],
}
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, a: 7 }

/** Treatment of `^` and `$` at the ends of the expression. */
export type Anchoring = 'whole' | 'search'

/**
 * Reads a regular expression of RE2's syntax without flags, Unicode classes, word boundaries and inner anchors. Lazy
 * quantifiers mean the same as greedy ones: only the set of matching texts counts. With `whole` the entire text has to
 * match; with `search` a part of it, as in JSON Schema, unless `^` and `$` are at its ends. Throws `invalid_constraint`
 * with the position of unsupported syntax.
 */
export function readRegex(source: string, anchoring: Anchoring = 'whole'): Pattern {
  if (source.length > MAX_LENGTH) {
    throw MODEL_ERRORS.invalid_constraint(`the regular expression is longer than ${MAX_LENGTH} characters`)
  }
  return new RegexReader(source, anchoring).readAll()
}

class RegexReader {
  readonly #source: string
  readonly #anchoring: Anchoring
  #at = 0
  #depth = 0

  constructor(source: string, anchoring: Anchoring) {
    this.#source = source
    this.#anchoring = anchoring
  }

  readAll(): Pattern {
    const anything = repeat({ kind: 'chars', ranges: complement([]) }, 0, null)
    const branches: Pattern[] = []
    do {
      const startsAnchored = this.#take('^')
      const inner = this.#readSequence()
      const endsAnchored = this.#take('$')
      const isSearch = this.#anchoring === 'search'
      branches.push(
        sequence(
          ...(isSearch && !startsAnchored ? [anything] : []),
          inner,
          ...(isSearch && !endsAnchored ? [anything] : []),
        ),
      )
    } while (this.#take('|'))
    if (this.#at < this.#source.length) {
      throw this.#refuse(this.#peek() === ')' ? 'unbalanced )' : 'an anchor inside the expression')
    }
    return choice(branches)
  }

  #refuse(problem: string, at = this.#at): DomainError {
    return MODEL_ERRORS.invalid_constraint(`regular expression: ${problem} at position ${at}`)
  }

  #peek(): string {
    return this.#source.charAt(this.#at)
  }

  #take(expected: string): boolean {
    if (!this.#source.startsWith(expected, this.#at)) return false
    this.#at += expected.length
    return true
  }

  #readChoice(): Pattern {
    const branches = [this.#readSequence()]
    while (this.#take('|')) branches.push(this.#readSequence())
    return choice(branches)
  }

  #readSequence(): Pattern {
    const parts: Pattern[] = []
    while (this.#at < this.#source.length && !'|)$'.includes(this.#peek())) parts.push(this.#readQuantified())
    return sequence(...parts)
  }

  #readQuantified(): Pattern {
    const atom = this.#readAtom()
    const quantified = this.#readQuantifier(atom)
    if (quantified === null) return atom
    this.#take('?')
    const next = this.#peek()
    if (next === '*' || next === '+' || next === '?') throw this.#refuse('a quantifier after a quantifier')
    return quantified
  }

  #readQuantifier(atom: Pattern): Pattern | null {
    if (this.#take('*')) return repeat(atom, 0, null)
    if (this.#take('+')) return repeat(atom, 1, null)
    if (this.#take('?')) return repeat(atom, 0, 1)
    const counts = /^\{(\d{1,6})(?:(,)(\d{1,6})?)?\}/.exec(this.#source.slice(this.#at, this.#at + 20))
    if (counts === null) return null
    const [text, low, comma, high] = counts
    const min = Number(low)
    const max = high !== undefined ? Number(high) : comma === undefined ? min : null
    if (Math.max(min, max ?? 0) > MAX_REPEAT) throw this.#refuse(`a repetition above ${MAX_REPEAT}`)
    if (max !== null && max < min) throw this.#refuse('a repetition whose bounds are the wrong way round')
    this.#at += text.length
    return repeat(atom, min, max)
  }

  #readAtom(): Pattern {
    const at = this.#at
    const character = this.#readCodePoint()
    switch (character) {
      case '(':
        return this.#readGroup(at)
      case '[':
        return { kind: 'chars', ranges: this.#readClass(at) }
      case '.':
        return { kind: 'chars', ranges: complement(NEWLINE) }
      case '\\':
        return { kind: 'chars', ranges: this.#readEscape(at) }
      case '^':
        throw this.#refuse('an anchor inside the expression', at)
      case '*':
      case '+':
      case '?':
        throw this.#refuse('a quantifier with nothing before it', at)
      default:
        return literal(character)
    }
  }

  #readCodePoint(): string {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0)
    if (/^[\ud800-\udfff]$/u.test(character)) throw this.#refuse('a lone surrogate')
    this.#at += character.length
    return character
  }

  #readGroup(at: number): Pattern {
    if (this.#take('?')) {
      if (/^P?<[A-Za-z_]\w*>/.test(this.#source.slice(this.#at))) this.#at = this.#source.indexOf('>', this.#at) + 1
      else if (!this.#take(':')) throw this.#refuse('a group with flags or an assertion, which are not supported', at)
    }
    if (++this.#depth > MAX_DEPTH) throw this.#refuse(`groups nested deeper than ${MAX_DEPTH}`, at)
    const inner = this.#readChoice()
    if (!this.#take(')')) {
      throw this.#peek() === '$' ? this.#refuse('an anchor inside the expression') : this.#refuse('missing )', at)
    }
    this.#depth--
    return inner
  }

  /** The code points of an escape outside or inside a class. */
  #readEscape(at: number): readonly CodePointRange[] {
    if (this.#at >= this.#source.length) throw this.#refuse('a backslash at the end', at)
    const character = this.#readCodePoint()
    const lower = CLASSES[character.toLowerCase()]
    if (lower !== undefined) return character === character.toLowerCase() ? lower : complement(lower)
    const control = CONTROLS[character]
    if (control !== undefined) return [[control, control]]
    if (character === 'x') return this.#readHex(at)
    if (/[A-Za-z0-9]/.test(character)) throw this.#refuse(`\\${character}, which is not supported,`, at)
    const point = character.codePointAt(0) ?? 0
    return [[point, point]]
  }

  #readHex(at: number): readonly CodePointRange[] {
    const match = /^(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/.exec(this.#source.slice(this.#at, this.#at + 8))
    const point = Number.parseInt(match?.[1] ?? match?.[2] ?? '', 16)
    if (match === null || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
      throw this.#refuse('\\x that names no character', at)
    }
    this.#at += match[0].length
    return [[point, point]]
  }

  #readClass(at: number): readonly CodePointRange[] {
    const isNegated = this.#take('^')
    const ranges: CodePointRange[] = []
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.#at >= this.#source.length) throw this.#refuse('missing ]', at)
      const low = this.#readClassItem()
      const isRange = this.#peek() === '-' && this.#source.charAt(this.#at + 1) !== ']'
      if (!isRange) {
        ranges.push(...low)
        continue
      }
      this.#at++
      if (this.#at >= this.#source.length) throw this.#refuse('missing ]', at)
      ranges.push(this.#range(low, this.#readClassItem()))
    }
    this.#at++
    return isNegated ? complement(ranges) : mergeRanges(ranges)
  }

  #readClassItem(): readonly CodePointRange[] {
    const at = this.#at
    const character = this.#readCodePoint()
    if (character === '\\') return this.#readEscape(at)
    if (character === '[' && ':=.'.includes(this.#peek()) && this.#peek() !== '') {
      throw this.#refuse('a named class, which is not supported,', at)
    }
    const point = character.codePointAt(0) ?? 0
    return [[point, point]]
  }

  #range(low: readonly CodePointRange[], high: readonly CodePointRange[]): CodePointRange {
    const [first] = low
    const [last] = high
    const isSingle = low.length === 1 && high.length === 1
    if (!isSingle || first === undefined || last === undefined || first[0] !== first[1] || last[0] !== last[1]) {
      throw this.#refuse('a range between classes')
    }
    if (last[0] < first[0]) throw this.#refuse('a range that is the wrong way round')
    return [first[0], last[0]]
  }
}
