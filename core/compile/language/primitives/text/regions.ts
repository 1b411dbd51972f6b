import type { Matches } from './tokens.ts'

/** Landmarks around a region of a text. A text is read as if a line break stood before and after it. */
export interface Landmarks {
  /** The texts that lead to a region, each searched behind the one before. */
  readonly after: readonly string[]
  /** The first of these ends a region; an empty one is the end of the text. None: regions end with the text. */
  readonly before: readonly string[]
}

interface Found {
  readonly start: number
  readonly end: number
}

/** The first occurrence of a landmark that starts at `from` or later, where -1 is the line break before the text. */
function findLandmark(text: string, landmark: string, from: number): Found | undefined {
  if (landmark === '') return { start: Math.max(0, from), end: Math.max(0, from) }
  const isLineStart = landmark.charCodeAt(0) === 10
  if (from < 0 && isLineStart && text.startsWith(landmark.slice(1))) return { start: 0, end: landmark.length - 1 }
  const at = text.indexOf(landmark, Math.max(0, from))
  if (at >= 0) return { start: at, end: at + landmark.length }
  if (landmark.charCodeAt(landmark.length - 1) !== 10) return undefined
  const start = text.length - landmark.length + 1
  return start >= Math.max(0, from) && text.endsWith(landmark.slice(0, -1)) ? { start, end: text.length } : undefined
}

/** Finds the nearest end of a region; remembers how far each landmark was searched, so that a walk stays linear. */
class Ends {
  readonly #text: string
  readonly #landmarks: readonly string[]
  readonly #next: number[]

  constructor(text: string, landmarks: readonly string[]) {
    this.#text = text
    this.#landmarks = landmarks.length === 0 ? [''] : landmarks
    this.#next = this.#landmarks.map(() => -1)
  }

  /** The start of the nearest landmark at `from` or later; -1 without one. */
  nearest(from: number): number {
    let nearest = Infinity
    for (const [index, landmark] of this.#landmarks.entries()) {
      let at = this.#next[index] ?? -1
      if (at < from) {
        at = landmark === '' ? this.#text.length : (findLandmark(this.#text, landmark, from)?.start ?? Infinity)
        this.#next[index] = at
      }
      if (at < nearest) nearest = at
    }
    return nearest === Infinity ? -1 : nearest
  }
}

/**
 * The regions between landmarks, flat, from left to right: each search starts where the region before it ended. Time
 * linear in the text for each landmark. Stops after `limit` regions.
 */
export function regionsBetween(text: string, { after, before }: Landmarks, limit = Infinity): Matches {
  const out: number[] = []
  const ends = new Ends(text, before)
  let from = -1
  while (out.length < limit * 2) {
    let start = from
    for (const landmark of after) {
      const found = findLandmark(text, landmark, start)
      if (found === undefined) return out
      start = found.end
    }
    start = Math.max(0, start)
    const end = ends.nearest(start)
    // A region that ends where its search began would be found forever.
    if (end < 0 || end === from) return out
    out.push(start, end)
    if (after.length === 0 || end >= text.length) return out
    from = end
  }
  return out
}
