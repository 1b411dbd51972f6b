import { MODEL_ERRORS } from '../../errors.ts'
import { complement, type Pattern } from './pattern.ts'
import { utf8Ranges } from './utf8-ranges.ts'

const MAX_STATES = 200_000
const NONE = -1

/**
 * A nondeterministic automaton over bytes (Thompson 1968). State i either reads one byte from `low[i]` to `high[i]` and
 * goes to `next[i]`, or (`low[i]` is -1) reads no byte and goes to `next[i]` and `other[i]`, -1 being none.
 */
export interface Nfa {
  readonly start: number
  readonly accept: number
  readonly low: readonly number[]
  readonly high: readonly number[]
  readonly next: readonly number[]
  readonly other: readonly number[]
  /** Fewest bytes from each state to acceptance; infinite where there is no way. */
  readonly distance: Float64Array
}

/** Throws `invalid_constraint` for a pattern too large to build, or one that no text matches. */
export function buildNfa(pattern: Pattern): Nfa {
  const builder = new NfaBuilder()
  const accept = builder.split(NONE, NONE)
  const start = builder.build(pattern, accept)
  const { low, high, next, other } = builder
  const distance = distances(builder, accept)
  if (distance[start] === Infinity) throw MODEL_ERRORS.invalid_constraint('no text satisfies the constraint')
  return { start, accept, low, high, next, other, distance }
}

class NfaBuilder {
  readonly low: number[] = []
  readonly high: number[] = []
  readonly next: number[] = []
  readonly other: number[] = []

  read(low: number, high: number, next: number): number {
    if (this.low.length >= MAX_STATES) {
      throw MODEL_ERRORS.invalid_constraint(`the constraint needs an automaton of more than ${MAX_STATES} states`)
    }
    this.low.push(low)
    this.high.push(high)
    this.next.push(next)
    this.other.push(NONE)
    return this.low.length - 1
  }

  split(next: number, other: number): number {
    const state = this.read(NONE, NONE, next)
    this.other[state] = other
    return state
  }

  /** The state from which the pattern is read and `end` reached. */
  build(pattern: Pattern, end: number): number {
    switch (pattern.kind) {
      case 'bytes':
        return pattern.bytes.reduceRight((next, byte) => this.read(byte, byte, next), end)
      case 'chars':
        return this.#buildCharacters(pattern.ranges, end)
      case 'sequence':
        return pattern.parts.reduceRight((next, part) => this.build(part, next), end)
      case 'choice':
        return this.#join(pattern.parts.map((part) => this.build(part, end)))
      case 'repeat':
        return this.#buildRepeat(pattern.part, pattern.min, pattern.max, end)
    }
  }

  /** Returns a state with an empty edge to each of the starts; to none when there are none. */
  #join(starts: readonly number[]): number {
    if (starts.length === 0) return this.split(NONE, NONE)
    return starts.reduceRight((rest, start) => this.split(start, rest))
  }

  #buildCharacters(ranges: readonly (readonly [number, number])[], end: number): number {
    // Surrogates have no form in UTF-8.
    const characters = complement(complement(ranges))
    // Characters share their last bytes, which keeps large classes small.
    const tails = new Map<string, number>()
    const starts = characters.flatMap(utf8Ranges).map((bytes) => {
      let state = end
      let key = ''
      for (const [low, high] of bytes.toReversed()) {
        key += `${low}-${high};`
        const known = tails.get(key)
        state = known ?? this.read(low, high, state)
        tails.set(key, state)
      }
      return state
    })
    return this.#join(starts)
  }

  #buildRepeat(part: Pattern, min: number, max: number | null, end: number): number {
    let state = end
    if (max === null) {
      // The loop's own state exists before its body is built.
      state = this.split(NONE, end)
      this.next[state] = this.build(part, state)
    } else {
      for (let count = min; count < max; count++) state = this.split(this.build(part, state), end)
    }
    for (let count = 0; count < min; count++) {
      const before = this.build(part, state)
      // A part that reads no byte and needs no state is the same however often it is repeated.
      if (before === state) break
      state = before
    }
    return state
  }
}

/** Breadth-first search from acceptance over the reversed edges; empty edges have no cost. */
function distances(nfa: NfaBuilder, accept: number): Float64Array {
  const before: number[][] = nfa.low.map(() => [])
  for (let state = 0; state < nfa.low.length; state++) {
    for (const target of [nfa.next[state] ?? NONE, nfa.other[state] ?? NONE]) before[target]?.push(state)
  }
  const distance = new Float64Array(nfa.low.length).fill(Infinity)
  distance[accept] = 0
  let level = [accept]
  for (let bytes = 0; level.length > 0; bytes++) {
    const further: number[] = []
    // `level` grows during the walk: states that read no byte belong to the same level.
    for (const state of level) {
      if (distance[state] !== bytes) continue
      for (const source of before[state] ?? []) {
        const isReading = nfa.low[source] !== NONE
        const found = isReading ? bytes + 1 : bytes
        if (found >= (distance[source] ?? 0)) continue
        distance[source] = found
        ;(isReading ? further : level).push(source)
      }
    }
    level = further
  }
  return distance
}
