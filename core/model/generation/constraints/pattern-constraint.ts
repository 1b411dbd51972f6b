import { LRUCache } from 'lru-cache'
import { DEAD, Dfa } from './dfa.ts'
import type { Pattern } from './pattern.ts'
import type { TokenConstraint } from './token-constraint.ts'
import { bytesOfToken, greedyTokenCount, type TokenBytes, type TokenTrie } from './token-trie.ts'

const MASK_BYTES = 64 * 1024 * 1024

interface Mask {
  readonly tokens: Int32Array
  /** The most bytes that are still needed after one of the tokens. */
  readonly farthest: number
}

/**
 * Answers whose bytes the pattern matches. The tokens allowed in a state are found by walking the tree of the vocabulary
 * through the automaton, so that a prefix that fails costs one step however many tokens begin with it, and are kept.
 */
export class PatternConstraint implements TokenConstraint {
  readonly start: number
  readonly #dfa: Dfa
  readonly #vocabulary: TokenBytes
  readonly #trie: TokenTrie
  readonly #masks = new LRUCache<number, Mask>({
    maxSize: MASK_BYTES,
    sizeCalculation: ({ tokens }) => tokens.byteLength + 64,
  })
  readonly #tokensToEnd = new Map<number, number>()

  /** Throws `invalid_constraint` for a pattern that is too large or matches no text. */
  constructor(pattern: Pattern, vocabulary: TokenBytes, trie: TokenTrie) {
    this.#dfa = new Dfa(pattern)
    this.#vocabulary = vocabulary
    this.#trie = trie
    this.start = this.#dfa.start
  }

  allowed(state: number): Int32Array {
    return this.#mask(state).tokens
  }

  #mask(state: number): Mask {
    const known = this.#masks.get(state)
    if (known !== undefined) return known
    const mask = this.#walk(state)
    this.#masks.set(state, mask)
    return mask
  }

  mayEnd(state: number): boolean {
    return this.#dfa.isAccepting(state)
  }

  next(state: number, token: number): number {
    let current = state
    for (const byte of bytesOfToken(this.#vocabulary, token)) current = this.#dfa.step(current, byte)
    return current
  }

  allowedWithin(state: number, tokensLeft: number): Int32Array {
    const { tokens, farthest } = this.#mask(state)
    if (farthest <= tokensLeft) return tokens
    const near = tokens.filter((token) => this.#canEndWithin(this.next(state, token), tokensLeft))
    // Where the answer may end it does so, rather than begin a part that it cannot finish.
    return near.length > 0 || this.mayEnd(state) ? near : this.#nearest(state, tokens)
  }

  /** A byte takes a token at most, so few bytes settle it without counting tokens. */
  #canEndWithin(state: number, tokensLeft: number): boolean {
    return this.#dfa.distance(state) <= tokensLeft || this.#countToEnd(state) <= tokensLeft
  }

  #nearest(state: number, allowed: Int32Array): Int32Array {
    const distances = Array.from(allowed, (token) => this.#countToEnd(this.next(state, token)))
    const least = Math.min(...distances)
    return allowed.filter((_, index) => distances[index] === least)
  }

  /**
   * Returns a number of tokens that certainly suffices from a state to the end: that of the shortest text, each token
   * as long as possible.
   */
  #countToEnd(state: number): number {
    const known = this.#tokensToEnd.get(state)
    if (known !== undefined) return known
    const count = greedyTokenCount(this.#trie, this.#dfa.shortestEnd(state))
    this.#tokensToEnd.set(state, count)
    return count
  }

  #walk(start: number): Mask {
    const { bytes, depths, ends, firsts, tokens, maxDepth } = this.#trie
    const states = new Int32Array(maxDepth + 1)
    states[0] = start
    const allowed = new Int32Array(tokens.length)
    let count = 0
    let farthest = 0
    for (let node = 0; node < bytes.length;) {
      const depth = depths[node] ?? 0
      const state = this.#dfa.step(states[depth] ?? DEAD, bytes[node] ?? 0)
      if (state === DEAD) {
        node = ends[node] ?? bytes.length
        continue
      }
      states[depth + 1] = state
      const first = firsts[node] ?? 0
      const end = firsts[node + 1] ?? 0
      if (end > first) {
        allowed.set(tokens.subarray(first, end), count)
        count += end - first
        farthest = Math.max(farthest, this.#dfa.distance(state))
      }
      node++
    }
    return { tokens: allowed.slice(0, count), farthest }
  }
}
