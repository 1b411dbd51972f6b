import { digitsEnd, isDigit } from './characters.ts'

/** Groups of digits that belong together: `4111 1111 1111 1111`, `(030) 123-456`. */
export interface Groups {
  /** Starts and ends of the groups, in turn. */
  readonly ends: readonly number[]
  /** The characters between two groups, by the place of the first. */
  readonly separators: readonly string[]
}

const MOST_GROUPS = 8
const MOST_DIGITS = 21
/** Spaces of several kinds, dots, dashes and slashes, by which people group digits. */
const SEPARATORS = new Set(' .-/\u00A0\u2007\u2009\u202F\u2010\u2011\u2013')

/** Reads the groups from a digit on; between two of them stands one separator, or a parenthesis and a space. */
export function groupsAt(text: string, at: number): Groups {
  const ends: number[] = []
  const separators: string[] = []
  let digits = 0
  for (let start = at; ends.length < MOST_GROUPS * 2;) {
    const end = digitsEnd(text, start)
    digits += end - start
    if (digits > MOST_DIGITS && ends.length > 0) break
    ends.push(start, end)
    const next = nextGroup(text, end)
    if (next === end) break
    separators.push(text.slice(end, next))
    start = next
  }
  return { ends, separators: separators.slice(0, ends.length / 2 - 1) }
}

/** The start of the group behind a separator; the place itself when none follows. */
function nextGroup(text: string, end: number): number {
  const char = text.charAt(end)
  if (SEPARATORS.has(char)) {
    if (isDigit(text.charCodeAt(end + 1))) return end + 1
    // As in `+49 (30) 1234567`.
    if (char === ' ' && text.charAt(end + 1) === '(' && isDigit(text.charCodeAt(end + 2))) return end + 2
    return end
  }
  if (char !== ')') return end
  const next = SEPARATORS.has(text.charAt(end + 1)) ? end + 2 : end + 1
  return isDigit(text.charCodeAt(next)) ? next : end
}

/** The digits of the first `count` groups. */
export function joined(text: string, { ends }: Groups, count: number): string {
  let digits = ''
  for (let i = 0; i < count * 2; i += 2) digits += text.slice(ends[i], ends[i + 1])
  return digits
}

/** The length of a group. */
export function groupLength({ ends }: Groups, place: number): number {
  return (ends[place * 2 + 1] ?? 0) - (ends[place * 2] ?? 0)
}
