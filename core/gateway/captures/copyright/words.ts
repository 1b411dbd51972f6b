/** A word of a text: its form for comparisons, and its place. */
export interface Word {
  readonly form: string
  readonly start: number
  readonly end: number
}

// An apostrophe or a hyphen within a word belongs to it; each repetition begins with another character than it repeats.
const WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*['’]?/gu

/** Splits a text into words. Case, forms of characters and forms of the apostrophe make no difference. */
export function wordsOf(text: string): readonly Word[] {
  return Array.from(text.matchAll(WORD), (found) => ({
    form: found[0].normalize('NFKC').toLowerCase().replaceAll('’', "'"),
    start: found.index,
    end: found.index + found[0].length,
  }))
}
