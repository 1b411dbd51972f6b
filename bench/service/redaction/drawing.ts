/** Draws from a seed: the same strings on every machine. */
export interface Drawing {
  /** A whole number from `from` to `to`. */
  int(from: number, to: number): number
  pick<T>(list: readonly T[]): T
  /** So many characters of an alphabet. */
  chars(alphabet: string, count: number): string
  digits(count: number): string
  chance(share: number): boolean
}

/** Characters of keys and hashes. */
export const BASE62 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
export const HEX = '0123456789abcdef'

/** Starts a drawing (mulberry32). */
export function drawFrom(seed: number): Drawing {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  const chars = (alphabet: string, count: number): string =>
    Array.from({ length: count }, () => alphabet.charAt(int(0, alphabet.length - 1))).join('')
  return {
    int,
    chars,
    pick: (list) => {
      const picked = list[int(0, list.length - 1)]
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
    digits: (count) => chars('0123456789', count),
    chance: (share) => next() < share,
  }
}
