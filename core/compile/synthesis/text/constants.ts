/** Cost of a constant in the output: little for punctuation, more for letters, most for digits. */
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

/** Cost of a constant part of the output. */
export function constantCost(text: string, { support, copyable }: ConstantCosts): number {
  const scale = support === 1 ? 2.2 : support === 2 ? 1.25 : 1
  let cost = 0.6
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const isDigit = unit >= 48 && unit <= 57
    const isLetter = (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122) || unit > 191
    cost += isDigit ? 0.55 * scale : isLetter ? 0.25 * scale : 0.12
  }
  for (const [run] of text.matchAll(ALNUM_RUN)) if (copyable.has(run)) cost += support === 1 ? 2.5 : 1.5
  return cost
}
