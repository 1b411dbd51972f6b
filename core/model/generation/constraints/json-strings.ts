import { choice, type CodePointRange, complement, literal, type Pattern, repeat, sequence } from './pattern.ts'

/** Characters that JSON strings hold unescaped: all but control characters, the quote and the backslash. */
const PLAIN: readonly CodePointRange[] = complement([
  [0, 31],
  [34, 34],
  [92, 92],
])

/** One character within a JSON string, written as RFC 8785 §3.2.2.2 writes it. */
const CHARACTER = choice([
  { kind: 'chars', ranges: PLAIN },
  ...escapedIn([
    [0, 31],
    [34, 34],
    [92, 92],
  ]),
])

/** A JSON string of `min` to `max` characters, quotes included. */
export function jsonString(min: number, max: number | null): Pattern {
  return sequence(literal('"'), repeat(CHARACTER, min, max), literal('"'))
}

/** A JSON string whose text matches the pattern. */
export function jsonStringOf(pattern: Pattern): Pattern {
  return sequence(literal('"'), escaped(pattern), literal('"'))
}

/** The pattern with each of its characters written as JSON writes it within a string. */
function escaped(pattern: Pattern): Pattern {
  switch (pattern.kind) {
    case 'bytes':
      return literal(JSON.stringify(new TextDecoder().decode(pattern.bytes)).slice(1, -1))
    case 'chars':
      return choice([
        { kind: 'chars', ranges: complement([...complement(pattern.ranges), ...complement(PLAIN)]) },
        ...escapedIn(pattern.ranges),
      ])
    case 'sequence':
      return sequence(...pattern.parts.map(escaped))
    case 'choice':
      return choice(pattern.parts.map(escaped))
    case 'repeat':
      return repeat(escaped(pattern.part), pattern.min, pattern.max)
  }
}

/** The escapes of those characters in the ranges that need one. */
function escapedIn(ranges: readonly CodePointRange[]): readonly Pattern[] {
  const points = [...Array(32).keys(), 34, 92].filter((point) =>
    ranges.some(([first, last]) => point >= first && point <= last),
  )
  return points.map((point) => literal(JSON.stringify(String.fromCharCode(point)).slice(1, -1)))
}
