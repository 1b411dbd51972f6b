import { LRUCache } from 'lru-cache'

/** The pattern letters of `svc-recipe-1`, longest first where one starts another. */
export const DATE_LETTERS = [
  'yyyy', // year, four digits
  'yy', // year, two digits
  'MMMM', // January
  'MMM', // Jan
  'MM', // 01
  'M', // 1
  'do', // 1st
  'dd', // 01
  'd', // 1
  'EEEE', // Monday
  'EEE', // Mon
  'HH', // hour 00-23
  'H',
  'hh', // hour 01-12
  'h',
  'mm',
  'm',
  'ss',
  's',
  'SSS', // milliseconds
  'SS', // hundredths
  'S', // tenths
  'aaaa', // a.m.
  'aa', // am
  'a', // AM
  'XXX', // +02:00, or Z for UTC
  'XX', // +0200, or Z for UTC
  'xxx', // +02:00 always
  'DDD', // day of the year, three digits
  'D', // day of the year
  'Q', // quarter, 1-4
  'YYYY', // year of the ISO week
  'ww', // ISO week, two digits
  'w', // ISO week
  'e', // weekday, 1 Monday to 7 Sunday
] as const
export type DateLetter = (typeof DATE_LETTERS)[number]

/** Letters that can be written but not read. */
export const FORMAT_ONLY_LETTERS: ReadonlySet<DateLetter> = new Set(['DDD', 'D', 'Q', 'YYYY', 'ww', 'w', 'e'])

/** One element of a pattern: letters, or a literal text. */
export type DateElement = { readonly letter: DateLetter } | { readonly text: string }

export const MAX_DATE_PATTERN_LENGTH = 64

const LETTERS: ReadonlySet<string> = new Set(DATE_LETTERS)

function isDateLetter(text: string): text is DateLetter {
  return LETTERS.has(text)
}

function isLatinLetter(char: string): boolean {
  return /^[A-Za-z]$/.test(char)
}

function readElements(pattern: string): readonly DateElement[] | undefined {
  const elements: DateElement[] = []
  let literal = ''
  let at = 0
  const flush = (): void => {
    if (literal !== '') elements.push({ text: literal })
    literal = ''
  }
  while (at < pattern.length) {
    const char = pattern.charAt(at)
    if (char === "'") {
      const end = endOfQuote(pattern, at)
      if (end === -1) return undefined
      literal += end === at + 1 ? "'" : pattern.slice(at + 1, end).replaceAll("''", "'")
      at = end + 1
    } else if (isLatinLetter(char)) {
      let end = at + 1
      while (pattern.charAt(end) === char) end++
      if (char === 'd' && end === at + 1 && pattern.charAt(end) === 'o') end++
      const letter = pattern.slice(at, end)
      if (!isDateLetter(letter)) return undefined
      flush()
      elements.push({ letter })
      at = end
    } else {
      literal += char
      at++
    }
  }
  flush()
  return elements
}

/** Returns the index of the quote that closes the one at `at`; a doubled quote inside is one quote. */
function endOfQuote(pattern: string, at: number): number {
  if (pattern.charAt(at + 1) === "'") return at + 1
  let end = pattern.indexOf("'", at + 1)
  while (end !== -1 && pattern.charAt(end + 1) === "'") end = pattern.indexOf("'", end + 2)
  return end
}

const known = new LRUCache<string, readonly DateElement[]>({ max: 2000 })

/**
 * Returns the elements of a date pattern; undefined for an invalid one. Every Latin letter outside quotes must be a
 * pattern letter; `''` is a quote; other characters are literal.
 */
export function readDatePattern(pattern: string): readonly DateElement[] | undefined {
  if (pattern.length > MAX_DATE_PATTERN_LENGTH) return undefined
  const cached = known.get(pattern)
  if (cached !== undefined) return cached
  const elements = readElements(pattern)
  if (elements !== undefined) known.set(pattern, elements)
  return elements
}

/** Returns true when a text can be read by these elements. */
export function isReadable(elements: readonly DateElement[]): boolean {
  return elements.every((element) => 'text' in element || !FORMAT_ONLY_LETTERS.has(element.letter))
}
