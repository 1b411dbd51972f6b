import { costOf, type Cost } from '../ranking/cost.ts'

/** Factors of the cost of a constant in the output. */
export interface ConstantCosts {
  /** Rows that share the constant; a single row proves nothing. */
  readonly support: number
  /** Alphanumeric runs that every source text of these rows holds: better copied than repeated. */
  readonly copyable: ReadonlySet<string>
}

const ALNUM_RUN = /[\p{L}\p{N}]+/gu
const MAX_RUNS = 200

/** Returns the alphanumeric runs that occur in every one of the texts. */
export function sharedRuns(texts: readonly string[]): Set<string> {
  let shared: Set<string> | undefined
  for (const text of texts) {
    const runs = new Set<string>()
    for (const [run] of text.matchAll(ALNUM_RUN)) {
      runs.add(run)
      if (runs.size >= MAX_RUNS) break
    }
    shared = shared === undefined ? runs : shared.intersection(runs)
  }
  return shared ?? new Set()
}

const BY_SUPPORT = {
  one: { digit: 'constant.digit.oneRow', letter: 'constant.letter.oneRow', copyable: 'constant.copyable.oneRow' },
  two: { digit: 'constant.digit.twoRows', letter: 'constant.letter.twoRows', copyable: 'constant.copyable' },
  more: { digit: 'constant.digit', letter: 'constant.letter', copyable: 'constant.copyable' },
} as const

/** Returns the cost of a constant part of the output: little for punctuation, more for letters, most for digits. */
export function constantCost(text: string, { support, copyable }: ConstantCosts): Cost {
  let digits = 0
  let letters = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 48 && unit <= 57) digits++
    else if ((unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122) || unit > 191) letters++
  }
  let copied = 0
  if (copyable.size > 0) for (const [run] of text.matchAll(ALNUM_RUN)) if (copyable.has(run)) copied++
  const features = BY_SUPPORT[support === 1 ? 'one' : support === 2 ? 'two' : 'more']
  return costOf('constant')
    .with(features.digit, digits)
    .with(features.letter, letters)
    .with('constant.mark', text.length - digits - letters)
    .with(features.copyable, copied)
}
