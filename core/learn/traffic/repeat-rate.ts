import { shinglesOf } from './sketch.ts'

/** A captured call as data: what was asked, and what was answered. */
export interface CallPair {
  readonly input: string
  readonly output: string
}

/** Calls that were answered by the most alike other call, and how many of these answers were right. */
export interface RepeatRate {
  readonly tried: number
  readonly hits: number
}

/**
 * Measures how often the answer of the most alike other call is the answer of a call, character by character: what a recipe
 * that only repeats would get right. A recipe that computes does better. Nothing is tried with fewer than two pairs.
 */
export function repeatRate(pairs: readonly CallPair[]): RepeatRate {
  if (pairs.length < 2) return { tried: 0, hits: 0 }
  const shingles = pairs.map(({ input }) => shinglesOf(input))
  const hits = pairs.filter(({ output }, place) => {
    const nearest = nearestTo(shingles, place)
    return pairs[nearest]?.output.trim() === output.trim()
  })
  return { tried: pairs.length, hits: hits.length }
}

function nearestTo(shingles: readonly ReadonlySet<number>[], place: number): number {
  const own = shingles[place] ?? new Set()
  let best = -1
  let nearest = -1
  for (const [other, theirs] of shingles.entries()) {
    if (other === place) continue
    const shared = own.intersection(theirs).size
    const likeness = shared / (own.size + theirs.size - shared)
    if (likeness > best) {
      best = likeness
      nearest = other
    }
  }
  return nearest
}
