import type { UnansweredRows } from './example.ts'
import { isObject, OUTPUT_NAMES } from './parse-example.ts'

/**
 * Treatment of rows of a file without an answer: kept as inputs that are not learned from, left out, or, where the
 * answers are texts that may be empty, learned as the empty text.
 */
export const EMPTY_ANSWERS = ['unlabelled', 'skip', 'text'] as const
/** One of `EMPTY_ANSWERS`. */
export type EmptyAnswers = (typeof EMPTY_ANSWERS)[number]
/** Treatment when the caller names none. */
export const DEFAULT_EMPTY_ANSWERS: EmptyAnswers = 'unlabelled'

const NAMED_LINES = 20

/** Counts the rows of a file without an answer and decides what becomes of each. */
export class UnansweredCensus {
  readonly #how: EmptyAnswers
  readonly #most: number
  readonly #lines: number[] = []
  #count = 0
  #leftOut = 0

  /** @param most inputs without an answer that one compile keeps; further ones are left out */
  constructor(how: EmptyAnswers = DEFAULT_EMPTY_ANSWERS, most: number) {
    this.#how = how
    this.#most = most
  }

  /** Rows that no example was made of. */
  get leftOut(): number {
    return this.#leftOut
  }

  get rows(): UnansweredRows {
    return { count: this.#count, lines: [...this.#lines] }
  }

  /** Takes a row without an answer. */
  take(line: number): EmptyAnswers {
    if (this.#how === 'text') return 'text'
    if (this.#lines.length < NAMED_LINES) this.#lines.push(line)
    const how = ++this.#count > this.#most ? 'skip' : this.#how
    if (how === 'skip') this.#leftOut++
    return how
  }

  /**
   * Returns an object of a file as the example to parse; null for one that is left out. An absent output, or null, is no
   * answer; the empty text is one.
   */
  exampleOf(value: unknown, line: number): unknown {
    if (!isObject(value)) return value
    const kind = value['kind'] ?? 'positive'
    if (kind !== 'positive' && kind !== 'test') return value
    const name = OUTPUT_NAMES.find((one) => Object.hasOwn(value, one))
    if (name !== undefined && value[name] !== null) return value
    const how = this.take(line)
    if (how === 'text') return value
    if (how === 'skip') return null
    const rest = Object.entries(value).filter(([member]) => !OUTPUT_NAMES.some((one) => one === member))
    return { ...Object.fromEntries(rest), kind: 'unlabelled' }
  }
}
