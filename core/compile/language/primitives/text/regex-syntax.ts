/** Longest regular expression, in UTF-16 units. */
export const MAX_REGEX_LENGTH = 512
/** Largest size of a regular expression; see `regexSize`. */
export const MAX_REGEX_SIZE = 2000

const MAX_REPEAT = 1000
const MAX_GROUP_DEPTH = 20

/** Thrown for a regular expression outside the published subset; `at` is the 0-based unit. */
export class RegexSyntaxError extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(`${message} at ${at}`)
    this.name = 'RegexSyntaxError'
    this.at = at
  }
}

const CLASS_ESCAPES = new Set('dDwWsS')
const CONTROL_ESCAPES = new Set('tnrfv')
const ASSERTIONS = new Set('bBAz')
const PUNCTUATION = new Set('\\.+*?()|[]{}^$-/_#&~!"%\',:;<=>@` ')
const CATEGORY = /^(?:L[ulmto]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?)$/

/** A reader of the published subset: it accepts or throws, and sums up how large the automaton can get. */
class Reader {
  readonly #source: string
  #at = 0
  groups = 0

  constructor(source: string) {
    this.#source = source
  }

  readAll(): number {
    const size = this.#readAlternatives(0)
    if (this.#at < this.#source.length) this.#fail('unbalanced )')
    return size
  }

  #fail(message: string): never {
    throw new RegexSyntaxError(message, this.#at)
  }

  #peek(): string {
    return this.#source.charAt(this.#at)
  }

  #take(expected: string): boolean {
    if (!this.#source.startsWith(expected, this.#at)) return false
    this.#at += expected.length
    return true
  }

  #readAlternatives(depth: number): number {
    let size = this.#readSequence(depth)
    while (this.#take('|')) size += this.#readSequence(depth) + 1
    return size
  }

  #readSequence(depth: number): number {
    let size = 0
    while (this.#at < this.#source.length && this.#peek() !== '|' && this.#peek() !== ')') {
      const atom = this.#readAtom(depth)
      size += atom * this.#readQuantifier() + 1
      if (size > MAX_REGEX_SIZE) this.#fail(`larger than ${MAX_REGEX_SIZE}`)
    }
    return size
  }

  #readAtom(depth: number): number {
    const char = this.#peek()
    if (char === '(') return this.#readGroup(depth)
    if (char === '[') return this.#readClass()
    if (char === '\\') {
      this.#readEscape(false)
      return 1
    }
    if ('*+?{}]'.includes(char)) this.#fail(`unescaped ${char}`)
    this.#at += (this.#source.codePointAt(this.#at) ?? 0) > 0xffff ? 2 : 1
    return 1
  }

  #readGroup(depth: number): number {
    if (depth === MAX_GROUP_DEPTH) this.#fail('groups nested too deeply')
    this.#at++
    if (!this.#take('?:')) {
      if (this.#peek() === '?') this.#fail('unknown group')
      this.groups++
    }
    const size = this.#readAlternatives(depth + 1)
    if (!this.#take(')')) this.#fail('missing )')
    return size + 2
  }

  /** Returns the maximum number of copies of the atom. */
  #readQuantifier(): number {
    let times = 1
    if (this.#take('*') || this.#take('+') || this.#take('?')) times = 1
    else if (this.#peek() === '{') times = this.#readCounts()
    else return 1
    this.#take('?')
    if ('*+?{'.includes(this.#peek()) && this.#peek() !== '') this.#fail('repeated quantifier')
    return times
  }

  #readCounts(): number {
    const found = /^\{(\d{1,4})(?:(,)(\d{1,4})?)?\}/.exec(this.#source.slice(this.#at, this.#at + 12))
    if (found === null) this.#fail('a { that is no repetition')
    const least = Number(found[1])
    const most = found[3] === undefined ? least : Number(found[3])
    if (most < least || most > MAX_REPEAT) this.#fail('invalid repetition')
    this.#at += found[0].length
    return Math.max(1, most)
  }

  #readClass(): number {
    this.#at++
    this.#take('^')
    if (this.#peek() === ']') this.#fail('empty class')
    while (this.#peek() !== ']') {
      const low = this.#readClassMember()
      if (this.#peek() !== '-' || this.#source.charAt(this.#at + 1) === ']') continue
      this.#at++
      const high = this.#readClassMember()
      if (low === undefined || high === undefined || high < low) this.#fail('invalid range')
    }
    this.#at++
    return 1
  }

  /** The code point of a member, or undefined for a class of characters. */
  #readClassMember(): number | undefined {
    if (this.#at >= this.#source.length) this.#fail('missing ]')
    if (this.#peek() === '[') this.#fail('unescaped [ in a class')
    if (this.#peek() === '\\') return this.#readEscape(true)
    const codePoint = this.#source.codePointAt(this.#at) ?? 0
    this.#at += codePoint > 0xffff ? 2 : 1
    return codePoint
  }

  #readEscape(inClass: boolean): number | undefined {
    this.#at++
    const char = this.#peek()
    if (CLASS_ESCAPES.has(char)) {
      this.#at++
      return undefined
    }
    if (char === 'p' || char === 'P') {
      const found = /^.\{\^?(\w+)\}/.exec(this.#source.slice(this.#at, this.#at + 8))
      if (found === null || !CATEGORY.test(found[1] ?? '')) this.#fail('unknown category')
      this.#at += found[0].length
      return undefined
    }
    if (char === 'x') {
      const found = /^x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/.exec(this.#source.slice(this.#at, this.#at + 9))
      const codePoint = Number.parseInt(found?.[1] ?? found?.[2] ?? '', 16)
      if (found === null || codePoint > 0x10ffff) this.#fail('invalid \\x escape')
      this.#at += found[0].length
      return codePoint
    }
    this.#at++
    if (CONTROL_ESCAPES.has(char)) return '\t\n\r\f\v'.charCodeAt('tnrfv'.indexOf(char))
    if (!inClass && ASSERTIONS.has(char)) return undefined
    if (char !== '' && PUNCTUATION.has(char)) return char.charCodeAt(0)
    this.#at--
    this.#fail('unknown escape')
  }
}

/** Facts of a regular expression before compilation. */
export interface RegexShape {
  /**
   * An upper bound of the automaton's size: every character, class or assertion counts 1, every atom 1 more, a group 2
   * and an alternative 1; `x{n,m}` counts x m times (n times without m). Fuel is charged in proportion to it.
   */
  readonly size: number
  /** Number of capturing groups. */
  readonly groups: number
}

/** Checks that a regular expression is in the published subset, and measures it. Throws `RegexSyntaxError`. */
export function readRegex(source: string): RegexShape {
  if (source.length > MAX_REGEX_LENGTH) throw new RegexSyntaxError(`longer than ${MAX_REGEX_LENGTH}`, MAX_REGEX_LENGTH)
  if (!source.isWellFormed()) throw new RegexSyntaxError('not well-formed Unicode', 0)
  const reader = new Reader(source)
  const size = reader.readAll()
  return { size: Math.max(1, size), groups: reader.groups }
}
