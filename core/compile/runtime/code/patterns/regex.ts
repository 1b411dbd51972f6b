import { rangesOfClass, caseVariants } from './code-points.ts'
import { classChar, classOfRanges } from './class-ranges.ts'

/** A regular expression of the published subset in another language's syntax. */
export interface TranslatedRegex {
  readonly source: string
  /** True when it can match the empty text. */
  readonly mayBeEmpty: boolean
}

/** Languages whose engine is written for; Python needs Unicode categories and case variants spelled out. */
export type RegexTarget = 'python' | 'typescript'

interface Piece {
  readonly source: string
  readonly mayBeEmpty: boolean
  /** True for what takes no quantifier without brackets. */
  readonly isAssertion?: boolean
}

const WORD_EDGE: Readonly<Record<RegexTarget, readonly [string, string]>> = {
  python: ['(?a:\\b)', '(?a:\\B)'],
  typescript: ['\\b', '\\B'],
}
// With the flag `i`, JavaScript's \b counts more letters.
const W = '[0-9A-Za-z_]'
const UNFOLDED_EDGES = [`(?:(?<=${W})(?!${W})|(?<!${W})(?=${W}))`, `(?:(?<=${W})(?=${W})|(?<!${W})(?!${W}))`] as const
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, r: 13, f: 12, v: 11 }

class Translator {
  readonly #source: string
  readonly #target: RegexTarget
  readonly #ignoresCase: boolean
  readonly #captures: boolean
  #at = 0

  constructor(source: string, target: RegexTarget, ignoresCase: boolean, captures: boolean) {
    this.#source = source
    this.#target = target
    this.#ignoresCase = ignoresCase
    this.#captures = captures
  }

  alternatives(): Piece {
    const parts = [this.#sequence()]
    while (this.#take('|')) parts.push(this.#sequence())
    return {
      source: parts.map(({ source }) => source).join('|'),
      mayBeEmpty: parts.some(({ mayBeEmpty }) => mayBeEmpty),
    }
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #peek(): string {
    return this.#source.charAt(this.#at)
  }

  #sequence(): Piece {
    let source = ''
    let mayBeEmpty = true
    while (this.#at < this.#source.length && this.#peek() !== '|' && this.#peek() !== ')') {
      const piece = this.#quantified(this.#atom())
      source += piece.source
      mayBeEmpty &&= piece.mayBeEmpty
    }
    return { source, mayBeEmpty }
  }

  #quantified(piece: Piece): Piece {
    const found = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(this.#source.slice(this.#at))?.[0]
    if (found === undefined) return piece
    this.#at += found.length
    const mayBeEmpty = piece.mayBeEmpty || /^(?:[*?]|\{0+[,}])/.test(found)
    return { source: (piece.isAssertion === true ? `(?:${piece.source})` : piece.source) + found, mayBeEmpty }
  }

  #atom(): Piece {
    const char = this.#peek()
    if (char === '(') return this.#group()
    if (char === '[') return { source: this.#class(), mayBeEmpty: false }
    if (char === '\\') return this.#escape()
    if (char === '^' || char === '$') {
      this.#at++
      return this.#assertion(char === '^' ? 'A' : 'z')
    }
    if (char === '.') {
      this.#at++
      return { source: '[^\\n]', mayBeEmpty: false }
    }
    const codePoint = this.#source.codePointAt(this.#at) ?? 0
    this.#at += codePoint > 0xffff ? 2 : 1
    return this.#character(codePoint)
  }

  #group(): Piece {
    this.#at++
    const captures = !this.#take('?:') && this.#captures
    const inner = this.alternatives()
    this.#take(')')
    return { source: `(${captures ? '' : '?:'}${inner.source})`, mayBeEmpty: inner.mayBeEmpty }
  }

  #character(codePoint: number): Piece {
    if (!this.#ignoresCase || this.#target === 'typescript') {
      return { source: plainChar(codePoint, this.#target), mayBeEmpty: false }
    }
    const variants = caseVariants(codePoint)
    if (variants.length === 1) return { source: plainChar(codePoint, this.#target), mayBeEmpty: false }
    const members = variants.map((one) => classChar(one, this.#target)).join('')
    return { source: `[${members}]`, mayBeEmpty: false }
  }

  #assertion(name: string): Piece {
    const isPython = this.#target === 'python'
    if (name === 'A') return { source: isPython ? '\\A' : '^', mayBeEmpty: true, isAssertion: true }
    if (name === 'z') return { source: isPython ? '\\Z' : '$', mayBeEmpty: true, isAssertion: true }
    const edges = !isPython && this.#ignoresCase ? UNFOLDED_EDGES : WORD_EDGE[this.#target]
    return { source: edges[name === 'b' ? 0 : 1], mayBeEmpty: true, isAssertion: true }
  }

  #escape(): Piece {
    const next = this.#source.charAt(this.#at + 1)
    if ('bBAz'.includes(next)) {
      this.#at += 2
      return this.#assertion(next)
    }
    const found = CLASS.exec(this.#source.slice(this.#at))?.[0]
    if (found !== undefined) {
      this.#at += found.length
      return { source: this.#spelledClass(found), mayBeEmpty: false }
    }
    return this.#character(this.#escapedChar())
  }

  /** A class escape on its own. */
  #spelledClass(escape: string): string {
    if (!this.#ignoresCase) {
      const plain = PLAIN_CLASSES[escape]
      if (plain !== undefined) return plain
      if (this.#target === 'typescript') return escape
    }
    return `[${classOfRanges(rangesOfClass(escape, this.#ignoresCase), this.#target)}]`
  }

  #escapedChar(): number {
    const found = /^\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})/.exec(this.#source.slice(this.#at))
    if (found !== null) {
      this.#at += found[0].length
      return Number.parseInt(found[1] ?? found[2] ?? '', 16)
    }
    const char = this.#source.charAt(this.#at + 1)
    this.#at += 2
    return CONTROLS[char] ?? char.charCodeAt(0)
  }

  #class(): string {
    const start = this.#at
    this.#at++
    const isNegated = this.#take('^')
    let body = ''
    let isPlain = !this.#ignoresCase
    while (this.#at < this.#source.length && this.#peek() !== ']') {
      const escape = CLASS.exec(this.#source.slice(this.#at))?.[0]
      if (escape !== undefined) {
        this.#at += escape.length
        const plain = PLAIN_MEMBERS[escape]
        isPlain &&= plain !== undefined
        body += plain ?? ''
        continue
      }
      const first = this.#member()
      body += classChar(first, this.#target)
      if (this.#peek() === '-' && this.#source.charAt(this.#at + 1) !== ']') {
        this.#at++
        body += `-${classChar(this.#member(), this.#target)}`
      }
    }
    this.#at++
    if (isPlain) return `[${isNegated ? '^' : ''}${body}]`
    const ranges = rangesOfClass(this.#source.slice(start, this.#at), this.#ignoresCase)
    // A class that matches nothing has no members to write.
    return ranges.length === 0 ? '(?!)' : `[${classOfRanges(ranges, this.#target)}]`
  }

  #member(): number {
    if (this.#peek() === '\\') return this.#escapedChar()
    const codePoint = this.#source.codePointAt(this.#at) ?? 0
    this.#at += codePoint > 0xffff ? 2 : 1
    return codePoint
  }
}

const CLASS = /^\\(?:[dDwWsS]|[pP]\{\^?\w+\})/
const PLAIN_CLASSES: Readonly<Record<string, string>> = {
  '\\d': '[0-9]',
  '\\D': '[^0-9]',
  '\\w': '[0-9A-Za-z_]',
  '\\W': '[^0-9A-Za-z_]',
  '\\s': '[\\t\\n\\f\\r ]',
  '\\S': '[^\\t\\n\\f\\r ]',
}
const PLAIN_MEMBERS: Readonly<Record<string, string>> = {
  '\\d': '0-9',
  '\\w': '0-9A-Za-z_',
  '\\s': '\\t\\n\\f\\r ',
}

/** A character outside a class. */
export function plainChar(codePoint: number, target: RegexTarget): string {
  const char = String.fromCodePoint(codePoint)
  if (/[-\w ,:;'!%<>=@&~#"`]/.test(char)) return char
  if (/\p{L}/u.test(char)) return char
  if (char === '/') return target === 'typescript' ? '\\/' : char
  return classChar(codePoint, target)
}

/** Writes a regular expression for another engine; it has been checked by the language. */
export function translateRegex(
  source: string,
  target: RegexTarget,
  ignoresCase = false,
  captures = false,
): TranslatedRegex {
  const { source: translated, mayBeEmpty } = new Translator(source, target, ignoresCase, captures).alternatives()
  return { source: translated, mayBeEmpty }
}

/** A text as a regular expression that matches it. */
export function escapeLiteral(text: string, target: RegexTarget): string {
  return Array.from(text, (char) => plainChar(char.codePointAt(0) ?? 0, target)).join('')
}
