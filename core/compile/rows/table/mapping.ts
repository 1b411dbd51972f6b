import type { EmptyAnswers } from '../intake/unanswered.ts'

/** Encodings that a caller may name. Guesses stay within them too. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-15',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'macintosh',
  'koi8-r',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'gb18030',
  'big5',
] as const
/** Encoding of a text file. */
export type EncodingName = (typeof ENCODINGS)[number]

/** The caller's choices for reading a file as examples; the rest is guessed from the file. */
export interface TableMapping {
  /** Names of the input columns. */
  readonly input?: readonly string[] | undefined
  /** Name of the answer's column. */
  readonly output?: string | undefined
  /** Name of the sheet, or its number from 1. */
  readonly sheet?: string | undefined
  /** One character between the cells. */
  readonly delimiter?: string | undefined
  readonly encoding?: EncodingName | undefined
  /** True when the first row holds names. */
  readonly header?: boolean | undefined
  /** Rows with more or fewer cells than the first: refused unless `skip`. */
  readonly ragged?: 'refuse' | 'skip' | undefined
  /** The last row where it is likely the total of the others: learned from as the others are, unless `skip`. */
  readonly totals?: 'keep' | 'skip' | undefined
  /** Cells of numbers and booleans: `auto` converts them by column, `text` keeps all cells as texts. */
  readonly types?: 'auto' | 'text' | undefined
  /** Rows without an answer: not learned from, unless their answers are empty texts. */
  readonly empty_answers?: EmptyAnswers | undefined
}

/** Returns true when the mapping says how a file becomes examples, beyond the rows without an answer. */
export function isMapped(mapping: TableMapping | undefined): boolean {
  const { empty_answers: _, ...reading } = mapping ?? {}
  return Object.values(reading).some((value) => value !== undefined)
}
