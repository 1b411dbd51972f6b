import { createHash } from 'node:crypto'

/** The state of a generator: four words of 32 bits, not all zero. */
export type RandomState = readonly [number, number, number, number]

/** A deterministic stream of random numbers. */
export interface Random {
  /** Uniform over the integers 0 to 2^32 − 1. */
  uint32(): number
  /** Uniform over [0, 1), a multiple of 2^-32. */
  float(): number
  /** Uniform over the integers 0 to `limit` − 1; `limit` is from 1 to 2^32. */
  below(limit: number): number
  /** Standard normal, by the method of Box and Muller. */
  normal(): number
  /** Returns the state for `restoreRandom`. */
  state(): RandomState
}

/**
 * A generator for one purpose of one job. Streams of one seed with different names are independent: the state is taken
 * from SHA-256 over seed and name. The generator is xoshiro128** 1.1 (Blackman and Vigna, "Scrambled linear
 * pseudorandom number generators", 2021).
 */
export function createRandom(seed: number, stream: string): Random {
  const digest = createHash('sha256').update(`${seed}\n${stream}`).digest()
  return restoreRandom([
    digest.readUInt32LE(0),
    digest.readUInt32LE(4),
    digest.readUInt32LE(8),
    // A state of zeros would stay there.
    digest.readUInt32LE(12) || 1,
  ])
}

/** Returns a generator that continues from a saved state. */
export function restoreRandom(state: RandomState): Random {
  let [a, b, c, d] = state
  const uint32 = (): number => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotateLeft(d, 11)
    return result
  }
  const float = (): number => uint32() / 2 ** 32
  return {
    uint32,
    float,
    below(limit) {
      // Values of an incomplete last round would make small numbers likelier.
      const end = 2 ** 32 - (2 ** 32 % limit)
      let value = uint32()
      while (value >= end) value = uint32()
      return value % limit
    },
    normal() {
      const radius = Math.sqrt(-2 * Math.log(1 - float()))
      return radius * Math.cos(2 * Math.PI * float())
    },
    state: () => [a >>> 0, b >>> 0, c >>> 0, d >>> 0],
  }
}

/** Shuffles a list in place (Fisher and Yates). */
export function shuffle(items: { readonly length: number; [index: number]: number }, random: Random): void {
  for (let last = items.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    const moved = items[last] ?? 0
    items[last] = items[other] ?? 0
    items[other] = moved
  }
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}
