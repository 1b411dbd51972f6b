/** Patterns for texts that `readDate` refuses or reads in another way: a month with a year of two digits, and 1430. */
export const OTHER_PATTERNS = [
  { pattern: 'MMM yy', has: 'day' },
  { pattern: 'MMM-yy', has: 'day' },
  { pattern: 'HHmm', has: 'time' },
] as const
