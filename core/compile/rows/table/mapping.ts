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
  /** Whether the first row holds names. */
  readonly header?: boolean | undefined
  /** Rows with more or fewer cells than the first: refused unless `skip`. */
  readonly ragged?: 'refuse' | 'skip' | undefined
  /** Cells of numbers and booleans: `auto` converts them by column, `text` keeps all cells as texts. */
  readonly types?: 'auto' | 'text' | undefined
  /** Rows without an answer: learned as the empty text, taken as inputs without an answer, or left out. */
  readonly empty_answers?: 'text' | 'unlabelled' | 'skip' | undefined
}

/** Returns true when the mapping says anything. */
export function isMapped(mapping: TableMapping | undefined): boolean {
  return mapping !== undefined && Object.values(mapping).some((value) => value !== undefined)
}
