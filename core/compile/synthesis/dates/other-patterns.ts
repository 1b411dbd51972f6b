import { dateBy } from '../search/derived.ts'

const readBy = (pattern: string) => dateBy((text) => ({ op: 'parseDate', text, pattern }))

/** Days as `2024-01-31`. */
export const readDay = readBy('yyyy-MM-dd')

/** Patterns for texts that `readDate` refuses or reads in another way: a month with a year of two digits, and 1430. */
export const OTHER_PATTERNS = [
  { has: 'day', read: readBy('MMM yy') },
  { has: 'day', read: readBy('MMM-yy') },
  { has: 'time', read: readBy('HHmm') },
] as const
