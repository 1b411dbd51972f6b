import type { DateFields } from './fields.ts'
import { localeBits, type Meaning } from './lexicon.ts'
import type { DatePart, NumericDay } from './numeric-dates.ts'
import type { DateReading } from './options.ts'
import type { Token } from './tokens.ts'

/** Parts of a date that tokens can be read as, and the token after them. */
export interface Item {
  readonly next: number
  readonly fields: DateFields
}

const THAI = localeBits(['th'])

type Separator = Extract<Token, { kind: 'separator' }>
type MeaningOf<K extends Meaning['kind']> = Extract<Meaning, { kind: K }>

/** The tokens of a text with the arguments by which it is read. */
export class TokenReader {
  readonly tokens: readonly Token[]
  readonly options: DateReading
  /** The bit of Thai. */
  readonly thai = THAI

  constructor(tokens: readonly Token[], options: DateReading) {
    this.tokens = tokens
    this.options = options
  }

  numberAt(at: number): DatePart | undefined {
    const token = this.tokens[at]
    return token?.kind === 'number' ? token : undefined
  }

  separatorAt(at: number): Separator | undefined {
    const token = this.tokens[at]
    return token?.kind === 'separator' ? token : undefined
  }

  /** True for a separator with exactly this text and no spaces. */
  isTight(at: number, text: string): boolean {
    const separator = this.separatorAt(at)
    return separator !== undefined && separator.text === text && !separator.isSpaced
  }

  meaningsAt(at: number): readonly Meaning[] {
    const token = this.tokens[at]
    return token?.kind === 'name' ? token.meanings : []
  }

  /** The meaning of that kind that the name has, if it has one. */
  meaningAt<K extends Meaning['kind']>(at: number, kind: K): MeaningOf<K> | undefined {
    return this.meaningsAt(at).find((meaning): meaning is MeaningOf<K> => meaning.kind === kind)
  }

  /** Skips spaces. */
  afterSpace(at: number): number {
    return this.separatorAt(at)?.text === '' ? at + 1 : at
  }

  /** Skips spaces and the dot of an abbreviation. */
  afterDot(at: number): number {
    const text = this.separatorAt(at)?.text
    return text === '' || text === '.' ? at + 1 : at
  }

  /** Skips separators and the words between the parts of a date. */
  afterWords(at: number): number {
    let next = at
    while (this.separatorAt(next) !== undefined || (this.isWord(next) && !this.hasName(next))) next++
    return next
  }

  isWord(at: number): boolean {
    return this.meaningAt(at, 'word') !== undefined
  }

  hasName(at: number): boolean {
    return this.meaningsAt(at).some(({ kind }) => kind === 'month')
  }
}

/** The fields of a day. */
export function dayFields({ year, month, day }: NumericDay): DateFields {
  return { year, month, day }
}
