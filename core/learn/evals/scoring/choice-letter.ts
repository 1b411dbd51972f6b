/** Words after a letter that names a choice, and never after the article "A". */
const REASON = String.raw`\s+(?:is|because|since|as)\b`
/** Ends a letter that is the answer: punctuation, a dash, the end of its line or a reason. */
const END = String.raw`["*_]*(?:[.,:;!?)\]]|\s+[-–—]|[^\S\n]*(?:\n|$)|${REASON})`
/** A letter that is part of no word. */
const LETTER = String.raw`([A-D])(?![A-Za-z'’])`
/** The begin of a sentence; what follows a colon names a choice. */
const BEGIN = String.raw`(?:^|[.!?\n"“])[^A-Za-z0-9:]*`
/** Not behind an article: "A cell divides" names no choice, and a capital within a sentence does. */
const NO_ARTICLE = String.raw`(?<!${BEGIN}A(?=\s+[A-Za-z])(?!${REASON}|\s+(?:and|or)\b))`
const OPENING = String.raw`["*_]*(?:\(["*_]*)?`

const STATED = new RegExp(String.raw`[Aa]nswer(?:\s+is(?:\s*:)?|["*_]*\s*:)\s*${OPENING}${LETTER}`)
const LEADING = new RegExp(String.raw`^\s*${OPENING}([A-D])${END}`)
const STANDING = new RegExp(String.raw`(?<![A-Za-z'’])${LETTER}${NO_ARTICLE}`, 'g')
/** Within a word, and not its beginning. */
const WITHIN = /(?<=[A-Za-z])[A-D]/

/**
 * Returns the letter of a choice in an answer: the one that it states, the one that it begins with, the last that stands
 * alone, or one within a word; null without one.
 */
export function choiceLetter(text: string): string | null {
  const first = STATED.exec(text)?.[1] ?? LEADING.exec(text)?.[1]
  return first ?? text.match(STANDING)?.at(-1) ?? WITHIN.exec(text)?.[0] ?? null
}
