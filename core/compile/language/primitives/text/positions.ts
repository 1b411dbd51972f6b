import type { Edge } from '../../names.ts'
import type { Matches } from './tokens.ts'

/** Number of matches. */
export function countMatches(matches: Matches): number {
  return matches.length >> 1
}

/** Number of matches that settle an occurrence: all of them when it counts from the end. */
export function matchesNeeded(occurrence: number): number {
  return occurrence > 0 ? occurrence : Infinity
}

/**
 * Index into the flat list of the k-th match's start, or -1 when there is no such match.
 * Occurrences count from 1 at the left, or from -1 at the right; 0 never matches.
 */
export function matchIndex(matches: Matches, occurrence: number): number {
  const index = occurrence > 0 ? (occurrence - 1) * 2 : matches.length + occurrence * 2
  return occurrence !== 0 && index >= 0 && index < matches.length ? index : -1
}

/** An edge of the k-th match, or -1. */
export function matchEdge(matches: Matches, occurrence: number, edge: Edge): number {
  const index = matchIndex(matches, occurrence)
  return index === -1 ? -1 : (matches[edge === 'start' ? index : index + 1] ?? -1)
}

/** Ascending positions where a match of `left` ends and a match of `right` starts. */
export function boundaries(left: Matches, right: Matches): number[] {
  const out: number[] = []
  let l = 1
  let r = 0
  while (l < left.length && r < right.length) {
    const end = left[l] ?? 0
    const start = right[r] ?? 0
    if (end === start && out.at(-1) !== end) out.push(end)
    if (end <= start) l += 2
    if (start <= end) r += 2
  }
  return out
}

/** The k-th of some positions, or -1. */
export function nthPosition(positions: readonly number[], occurrence: number): number {
  const index = occurrence > 0 ? occurrence - 1 : positions.length + occurrence
  return occurrence === 0 ? -1 : (positions[index] ?? -1)
}

/**
 * An edge of the k-th match that starts at or after `base` (occurrence > 0), or of the k-th from the right that ends at
 * or before it (occurrence < 0); -1 when there is none. Matches are those of the whole text.
 */
export function seekEdge(matches: Matches, base: number, occurrence: number, edge: Edge): number {
  let index: number
  if (occurrence > 0) {
    index = 0
    while (index < matches.length && (matches[index] ?? 0) < base) index += 2
    index += (occurrence - 1) * 2
  } else {
    index = matches.length - 2
    while (index >= 0 && (matches[index + 1] ?? 0) > base) index -= 2
    index += (occurrence + 1) * 2
  }
  if (occurrence === 0 || index < 0 || index >= matches.length) return -1
  return matches[edge === 'start' ? index : index + 1] ?? -1
}

/** True when a cut at this position would tear a surrogate pair apart. */
export function isInsidePair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
}

/** The text between two positions; undefined when they are out of range, in the wrong order or inside a pair. */
export function sliceText(text: string, start: number, end: number): string | undefined {
  if (start < 0 || end > text.length || start > end) return undefined
  if (isInsidePair(text, start) || isInsidePair(text, end)) return undefined
  return text.slice(start, end)
}
