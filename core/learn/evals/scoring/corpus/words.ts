/** White space as Python's `str.split` and `str.rstrip` see it: other than JavaScript, with the separators U+001C to U+001F and U+0085, without U+FEFF. */
const SPACE = String.raw`[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`
const SPACES = new RegExp(`${SPACE}+`, 'gu')
const LAST_SPACES = new RegExp(`(?<!${SPACE})${SPACE}+$`, 'u')

/** Returns the words of a text, as Python's `str.split` gives them. */
export function wordsOf(text: string): readonly string[] {
  return text.split(SPACES).filter((word) => word !== '')
}

/** Returns a text without white space. */
export function withoutSpaces(text: string): string {
  return text.replaceAll(SPACES, '')
}

/** Returns a text without the white space at its end. */
export function withoutLastSpaces(text: string): string {
  return text.replace(LAST_SPACES, '')
}

/** Adds the n-grams of an order to a count, each joined by a separator. */
export function countNgrams(
  parts: readonly string[],
  order: number,
  separator: '' | ' ',
  counts: Map<string, number> = new Map(),
): Map<string, number> {
  for (let start = 0; start + order <= parts.length; start++) {
    const ngram = parts.slice(start, start + order).join(separator)
    counts.set(ngram, (counts.get(ngram) ?? 0) + 1)
  }
  return counts
}
