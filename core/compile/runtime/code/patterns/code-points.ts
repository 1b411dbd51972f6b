import { RE2JS } from 're2js'

/** Runs of code points, flat: first, last, first, last, ... */
export type Ranges = readonly number[]

let everyCharacter: string | undefined

/** All code points but surrogates, in their order. */
function allCharacters(): string {
  if (everyCharacter !== undefined) return everyCharacter
  const parts: string[] = []
  for (let from = 0; from < 0x110000; from += 0x1000) {
    if (from >= 0xd800 && from < 0xe000) continue
    const until = from === 0xd000 ? 0xd800 : from + 0x1000
    parts.push(String.fromCodePoint(...Array.from({ length: until - from }, (_, at) => from + at)))
  }
  everyCharacter = parts.join('')
  return everyCharacter
}

const known = new Map<string, Ranges>()

/** The code points that a class of a regular expression matches, as the engine of the language sees it. */
export function rangesOfClass(source: string, ignoresCase: boolean): Ranges {
  const key = `${ignoresCase}${source}`
  const before = known.get(key)
  if (before !== undefined) return before
  const text = allCharacters()
  const matcher = RE2JS.compile(`(?:${source})+`, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0).matcher(text)
  const ranges: number[] = []
  while (matcher.find()) {
    const last = matcher.end() - 1
    const isLow = last > 0 && (text.charCodeAt(last) & 0xfc00) === 0xdc00
    ranges.push(
      ...splitAtSurrogates(text.codePointAt(matcher.start()) ?? 0, text.codePointAt(isLow ? last - 1 : last) ?? 0),
    )
  }
  if (known.size > 200) known.clear()
  known.set(key, ranges)
  return ranges
}

function splitAtSurrogates(first: number, last: number): number[] {
  return first < 0xd800 && last > 0xdfff ? [first, 0xd7ff, 0xe000, last] : [first, last]
}

const SPECIAL: readonly (readonly [number, number])[] = [
  [0x390, 0x1fd3],
  [0x3b0, 0x1fe3],
  [0xfb05, 0xfb06],
  [0xdf, 0x1e9e],
  [0x3b8, 0x3f4],
  [0x3c9, 0x2126],
  [0x6b, 0x212a],
  [0xe5, 0x212b],
]

/** The code points that equal one when case does not count, itself among them. */
export function caseVariants(codePoint: number): readonly number[] {
  const found = new Set([codePoint])
  // A set visits what is added while it is visited.
  for (const one of found) for (const near of nearVariants(one)) found.add(near)
  const same = RE2JS.compile(`\\x{${codePoint.toString(16)}}`, RE2JS.CASE_INSENSITIVE)
  return [...found].filter((one) => same.testExact(String.fromCodePoint(one))).toSorted((a, b) => a - b)
}

function nearVariants(codePoint: number): number[] {
  const char = String.fromCodePoint(codePoint)
  const near = [char.toLowerCase(), char.toUpperCase()].flatMap((text) =>
    Array.from(text).length === 1 ? [text.codePointAt(0) ?? 0] : [],
  )
  for (const [a, b] of SPECIAL) if (a === codePoint || b === codePoint) near.push(a, b)
  return near
}
