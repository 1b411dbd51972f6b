const WORDS = 624
const SHIFT = 397
const TWO_32 = 2 ** 32

/** Python's `random.Random(seed)`, number for number. */
export interface PythonRandom {
  /** A number from 0 up to but not including 1, with 53 random bits. */
  random(): number
  /** Returns `count` places of a list of `size` entries, none of them twice, as `random.sample` draws them. */
  sample(size: number, count: number): readonly number[]
}

/**
 * Returns the generator that Python makes from a whole number: the Mersenne Twister MT19937 (Matsumoto and Nishimura, ACM
 * TOMACS 8, 1998), seeded by the array of the number's 32-bit words.
 */
export function createPythonRandom(seed: number): PythonRandom {
  const state = seededBy(wordsOf(seed))
  let at = WORDS
  const next = (): number => {
    if (at >= WORDS) {
      twist(state)
      at = 0
    }
    let y = state[at++] ?? 0
    y ^= y >>> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    y ^= y >>> 18
    return y >>> 0
  }
  /** A whole number below `n`, which is at most 2^32: draws of as many bits as `n` has, until one is below it. */
  const below = (n: number): number => {
    const bits = 32 - Math.clz32(n)
    for (;;) {
      const drawn = next() >>> (32 - bits)
      if (drawn < n) return drawn
    }
  }
  return {
    random: () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992,
    sample: (size, count) => drawPlaces(size, count, below),
  }
}

/** As CPython: from a pool that shrinks when the list is short, else by drawing again what was drawn already. */
function drawPlaces(size: number, count: number, below: (n: number) => number): readonly number[] {
  if (count > size) throw new RangeError('the sample is larger than the list')
  const shortList = 21 + (count > 5 ? 4 ** Math.ceil(Math.log(count * 3) / Math.log(4)) : 0)
  if (size <= shortList) {
    const pool = Array.from({ length: size }, (_, place) => place)
    return Array.from({ length: count }, (_, done) => {
      const place = below(size - done)
      const drawn = pool[place] ?? 0
      pool[place] = pool[size - done - 1] ?? 0
      return drawn
    })
  }
  const drawn = new Set<number>()
  while (drawn.size < count) drawn.add(below(size))
  return [...drawn]
}

function wordsOf(seed: number): readonly number[] {
  const words: number[] = []
  for (let rest = Math.abs(seed); rest > 0; rest = Math.floor(rest / TWO_32)) words.push(rest % TWO_32)
  return words.length === 0 ? [0] : words
}

function seededBy(key: readonly number[]): Uint32Array {
  const state = new Uint32Array(WORDS)
  const word = (place: number): number => state[place] ?? 0
  const mixed = (place: number): number => word(place) ^ (word(place) >>> 30)
  state[0] = 19650218
  for (let i = 1; i < WORDS; i++) state[i] = Math.imul(1812433253, mixed(i - 1)) + i
  let i = 1
  let j = 0
  const advance = (): void => {
    if (++i < WORDS) return
    state[0] = word(WORDS - 1)
    i = 1
  }
  for (let k = Math.max(WORDS, key.length); k > 0; k--) {
    state[i] = (word(i) ^ Math.imul(mixed(i - 1), 1664525)) + (key[j] ?? 0) + j
    advance()
    if (++j >= key.length) j = 0
  }
  for (let k = WORDS - 1; k > 0; k--) {
    state[i] = (word(i) ^ Math.imul(mixed(i - 1), 1566083941)) - i
    advance()
  }
  state[0] = 0x80000000
  return state
}

function twist(state: Uint32Array): void {
  for (let i = 0; i < WORDS; i++) {
    const y = ((state[i] ?? 0) & 0x80000000) | ((state[(i + 1) % WORDS] ?? 0) & 0x7fffffff)
    state[i] = (state[(i + SHIFT) % WORDS] ?? 0) ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0)
  }
}
