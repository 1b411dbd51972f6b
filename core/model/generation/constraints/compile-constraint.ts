import { LRUCache } from 'lru-cache'
import type { Constraint } from '../options.ts'
import { readJsonSchema } from './json-schema.ts'
import { labelConstraint } from './label-constraint.ts'
import { literal, sequence } from './pattern.ts'
import { PatternConstraint } from './pattern-constraint.ts'
import { readRegex } from './regex.ts'
import type { TokenConstraint } from './token-constraint.ts'
import { buildTokenTrie, type TokenBytes, type TokenTrie } from './token-trie.ts'

const KEPT_CONSTRAINTS = 32

/** A constraint whose labels are already the token sequences that the tokenizer makes of them. */
export type EncodedConstraint =
  | { readonly type: 'labels'; readonly sequences: readonly (readonly number[])[] }
  | Exclude<Constraint, { readonly type: 'labels' }>

/** Compiles constraints against one vocabulary and keeps the last ones, whose masks then serve later requests. */
export class ConstraintCompiler {
  readonly #vocabulary: TokenBytes
  readonly #kept = new LRUCache<string, TokenConstraint>({ max: KEPT_CONSTRAINTS })
  #trie: TokenTrie | undefined

  constructor(vocabulary: TokenBytes) {
    this.#vocabulary = vocabulary
  }

  /** Throws `invalid_constraint` for a constraint that cannot be compiled. */
  compile(constraint: EncodedConstraint): TokenConstraint {
    const key = JSON.stringify(constraint)
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    const compiled = this.#build(constraint)
    this.#kept.set(key, compiled)
    return compiled
  }

  #build(constraint: EncodedConstraint): TokenConstraint {
    if (constraint.type === 'labels') return labelConstraint(constraint.sequences)
    const pattern = constraint.type === 'regex' ? readRegex(constraint.pattern) : readJsonSchema(constraint.schema)
    this.#trie ??= buildTokenTrie(this.#vocabulary)
    // An answer begins as those of training did, with the tokenizer's lead.
    const led = sequence(literal(this.#vocabulary.lead), pattern)
    return new PatternConstraint(led, this.#vocabulary, this.#trie)
  }
}
