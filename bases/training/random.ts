/** A source of seeded random choices; the same seed gives the same choices on every machine. */
export interface Random {
  /** A uniform number in [0, 1). */
  readonly next: () => number
  /** A uniform integer from 0 to `count` - 1. */
  readonly below: (count: number) => number
  /** A uniform integer from `low` to `high`, both included. */
  readonly between: (low: number, high: number) => number
  /** True with the given probability. */
  readonly chance: (probability: number) => boolean
  /** One of the items, each as likely. Throws a RangeError when there is none. */
  readonly pick: <T>(items: readonly T[]) => T
  /** The items in random order (Fisher-Yates). */
  readonly shuffle: <T>(items: readonly T[]) => T[]
  /** `count` different items, in random order; all of them when there are fewer. */
  readonly sample: <T>(items: readonly T[], count: number) => T[]
}

/** A generator of uniform numbers (mulberry32) with the choices that text generation needs. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (count: number): number => Math.floor(next() * count)
  const shuffle = <T>(items: readonly T[]): T[] => {
    const copy = [...items]
    for (let i = copy.length - 1; i > 0; i--) {
      const j = below(i + 1)
      const [a, b] = [copy[i], copy[j]]
      if (a !== undefined && b !== undefined) [copy[i], copy[j]] = [b, a]
    }
    return copy
  }
  return {
    next,
    below,
    shuffle,
    between: (low, high) => low + below(high - low + 1),
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[below(items.length)]
      if (item === undefined) throw new RangeError('nothing to pick from')
      return item
    },
    sample: (items, count) => shuffle(items).slice(0, count),
  }
}

/** A seed made of a seed and an index (a 32-bit finaliser of MurmurHash3), so that neighbouring indices differ wholly. */
export function mixSeed(seed: number, index: number): number {
  let h = (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** A 32-bit hash of a text (FNV-1a over UTF-16 units). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
