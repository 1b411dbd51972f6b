import { withoutLastSpaces, wordsOf } from './words.ts'

const ENTITIES = [
  ['&quot;', '"'],
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
] as const

/** Punctuation, but for apostrophe, comma, hyphen and full stop. */
const PUNCTUATION = /([{-~[-` -&(-+:-@/])/gu
const MARK_BEHIND_OTHER = /([^0-9])([.,])/gu
const MARK_BEFORE_OTHER = /([.,])([^0-9])/gu
const HYPHEN_BEHIND_DIGIT = /([0-9])(-)/gu

/**
 * Returns the tokens of a text as NIST's `mteval-v13a.pl` splits it for WMT, which is sacrebleu's tokenizer `13a`: punctuation
 * stands alone, and full stops and commas between digits do not.
 */
export function tokens13a(text: string): readonly string[] {
  let line = withoutLastSpaces(text).replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' ')
  for (const [entity, character] of ENTITIES) line = line.replaceAll(entity, character)
  return wordsOf(
    ` ${line} `
      .replaceAll(PUNCTUATION, ' $1 ')
      .replaceAll(MARK_BEHIND_OTHER, '$1 $2 ')
      .replaceAll(MARK_BEFORE_OTHER, ' $1 $2')
      .replaceAll(HYPHEN_BEHIND_DIGIT, '$1 $2 '),
  )
}
