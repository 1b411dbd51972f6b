import { MODEL_ERRORS } from '../../errors.ts'
import { buildNfa, type Nfa } from './nfa.ts'
import type { Pattern } from './pattern.ts'

const MAX_STATES = 50_000
/** Bound on the members of all states together, and so on an automaton's memory and build time. */
const MAX_MEMBERS = 4_000_000
const UNKNOWN = -2

/** The state from which no text is accepted. */
export const DEAD = -1

/**
 * A deterministic automaton over bytes whose states are created on demand (subset construction). States are numbers
 * from 0; every state but `DEAD` leads to acceptance.
 */
export class Dfa {
  readonly start: number
  readonly #nfa: Nfa
  /** Bytes that all ranges of the automaton treat alike share a class. */
  readonly #classOf: Uint8Array
  readonly #byteOf: readonly number[]
  readonly #sets: Int32Array[] = []
  readonly #edges: Int32Array[] = []
  readonly #distances: number[] = []
  readonly #byKey = new Map<string, number>()
  readonly #marks: Int32Array
  #mark = 0
  #memberCount = 0

  constructor(pattern: Pattern) {
    this.#nfa = buildNfa(pattern)
    const { classOf, byteOf } = byteClasses(this.#nfa)
    this.#classOf = classOf
    this.#byteOf = byteOf
    this.#marks = new Int32Array(this.#nfa.low.length)
    this.start = this.#state([this.#nfa.start])
  }

  /** The state after one more byte. Throws `invalid_constraint` when the automaton becomes too large. */
  step(state: number, byte: number): number {
    const edges = this.#edges[state]
    const group = this.#classOf[byte] ?? 0
    const known = edges?.[group] ?? DEAD
    if (known !== UNKNOWN || edges === undefined) return known
    const { low, high, next } = this.#nfa
    const targets: number[] = []
    for (const member of this.#sets[state] ?? []) {
      if (byte >= (low[member] ?? 0) && byte <= (high[member] ?? -1)) targets.push(next[member] ?? DEAD)
    }
    const found = targets.length === 0 ? DEAD : this.#state(targets)
    edges[group] = found
    return found
  }

  isAccepting(state: number): boolean {
    return this.#distances[state] === 0
  }

  /** Fewest bytes from a state to acceptance. */
  distance(state: number): number {
    return this.#distances[state] ?? Infinity
  }

  /** A shortest continuation that is accepted. */
  shortestEnd(state: number): Uint8Array {
    const bytes = new Uint8Array(this.distance(state))
    let current = state
    for (let index = 0; index < bytes.length; index++) {
      const left = bytes.length - index - 1
      const byte = this.#byteOf.find((each) => this.distance(this.step(current, each)) === left) ?? 0
      bytes[index] = byte
      current = this.step(current, byte)
    }
    return bytes
  }

  /** The state of everything that is reached from `targets` without reading. */
  #state(targets: readonly number[]): number {
    const { low, next, other, distance } = this.#nfa
    const mark = ++this.#mark
    const members: number[] = []
    const open = [...targets]
    let nearest = Infinity
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      const away = distance[state] ?? Infinity
      // A member that leads nowhere would only keep a state alive that has no end.
      if (away === Infinity || this.#marks[state] === mark) continue
      this.#marks[state] = mark
      nearest = Math.min(nearest, away)
      if ((low[state] ?? DEAD) >= 0) members.push(state)
      else open.push(next[state] ?? DEAD, other[state] ?? DEAD)
    }
    if (nearest === Infinity) return DEAD
    const set = Int32Array.from(members).sort()
    const key = `${nearest === 0 ? 'a' : ''}${set.join(',')}`
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    this.#memberCount += set.length
    if (this.#sets.length >= MAX_STATES || this.#memberCount > MAX_MEMBERS) {
      throw MODEL_ERRORS.invalid_constraint(
        `the constraint needs more than ${MAX_STATES} states, or ${MAX_MEMBERS} members of states`,
      )
    }
    this.#byKey.set(key, this.#sets.length)
    this.#edges.push(new Int32Array(this.#byteOf.length).fill(UNKNOWN))
    this.#distances.push(nearest)
    return this.#sets.push(set) - 1
  }
}

/** The coarsest division of the bytes that every range of the automaton respects, with one byte for each part. */
function byteClasses(nfa: Nfa): { readonly classOf: Uint8Array; readonly byteOf: readonly number[] } {
  const isStart = new Uint8Array(257)
  isStart[0] = 1
  for (const [state, low] of nfa.low.entries()) {
    if (low < 0) continue
    isStart[low] = 1
    isStart[(nfa.high[state] ?? low) + 1] = 1
  }
  const classOf = new Uint8Array(256)
  const byteOf: number[] = []
  for (let byte = 0; byte < 256; byte++) {
    if (isStart[byte] === 1) byteOf.push(byte)
    classOf[byte] = byteOf.length - 1
  }
  return { classOf, byteOf }
}
