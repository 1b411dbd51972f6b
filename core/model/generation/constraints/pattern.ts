/** An inclusive range of code points. */
export type CodePointRange = readonly [first: number, last: number]

/**
 * A regular language over bytes. `chars` is one code point, written as UTF-8; `bytes` is a fixed text; `repeat` without
 * `max` has no upper bound.
 */
export type Pattern =
  | { readonly kind: 'chars'; readonly ranges: readonly CodePointRange[] }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly min: number; readonly max: number | null }

const MAX_CODE_POINT = 0x10ffff
const encoder = new TextEncoder()

/** Exactly this text. */
export function literal(text: string): Pattern {
  return { kind: 'bytes', bytes: encoder.encode(text) }
}

/** One after another; the empty sequence is the empty text. */
export function sequence(...parts: readonly Pattern[]): Pattern {
  return { kind: 'sequence', parts }
}

/** Returns a choice of one part; without parts it matches no text. */
export function choice(parts: readonly Pattern[]): Pattern {
  return { kind: 'choice', parts }
}

/** `min` to `max` times; without bound when `max` is null. */
export function repeat(part: Pattern, min: number, max: number | null): Pattern {
  return { kind: 'repeat', part, min, max }
}

/** Sorted ranges that neither touch nor overlap. */
export function mergeRanges(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  const merged: [number, number][] = []
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const previous = merged.at(-1)
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last)
    else merged.push([first, last])
  }
  return merged
}

/** Returns every code point outside the ranges; surrogates are not characters and are left out. */
export function complement(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  const out: CodePointRange[] = []
  let next = 0
  for (const [first, last] of mergeRanges([...ranges, [0xd800, 0xdfff]])) {
    if (first > next) out.push([next, first - 1])
    next = last + 1
  }
  if (next <= MAX_CODE_POINT) out.push([next, MAX_CODE_POINT])
  return out
}
