import { canonicalJson } from '../../../kernel/json/json.ts'
import { countFolds } from '../../rows/split/plan-folds.ts'
import type { Row } from '../../rows/task.ts'
import type { Check } from './verifier-types.ts'

/** Share of right rows that checks, made without them, may refuse and still be kept. */
const REFUSAL_ALLOWED = 0.02

/** Folds of rows, as positions. */
export type Folds = readonly (readonly number[])[]

/** Deals rows into folds, alike outputs evenly; as many folds as cross-fitting has. */
export function dealFolds(rows: readonly Row[]): Folds {
  const count = countFolds(rows.length)
  const ordered = rows
    .map((row, place) => ({ place, key: `${canonicalJson(row.output)}\n${canonicalJson(row.input)}` }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return Array.from({ length: count }, (_, fold) =>
    ordered.filter((_row, i) => i % count === fold).map(({ place }) => place),
  )
}

/** Checks in cross-fitting: of each fold those that its other rows give, and what they refuse in it. */
interface CrossCheck {
  /** The checks of the rows outside of each fold, in the order of the folds. */
  readonly ofFold: readonly (readonly Check[])[]
  /** For each row that was judged, the checks that refuse it though it is right. */
  readonly failures: readonly (readonly string[])[]
}

/** Judges each row by the checks that the rows of the other folds give. */
export function crossCheck(
  rows: readonly Row[],
  folds: Folds,
  checks: {
    readonly generate: (rows: readonly Row[]) => readonly Check[]
    readonly failedBy: (checks: readonly Check[], row: Row) => readonly string[]
  },
): CrossCheck {
  const failures: (readonly string[])[] = []
  const ofFold = folds.map((fold) => {
    const left = new Set(fold)
    const seen = rows.filter((_, place) => !left.has(place))
    if (seen.length === 0) return []
    const generated = checks.generate(seen)
    for (const place of fold) {
      const row = rows[place]
      if (row !== undefined) failures.push(checks.failedBy(generated, row))
    }
    return generated
  })
  return { ofFold, failures }
}

/**
 * Returns the ids of checks to drop: first those that refuse more than a fiftieth of the right rows, then the one that
 * refuses most, until all together refuse no more than that.
 */
export function findRefusing({ failures }: Pick<CrossCheck, 'failures'>): ReadonlySet<string> {
  const allowed = failures.length * REFUSAL_ALLOWED
  const dropped = new Set<string>()
  for (;;) {
    const left = failures.map((failed) => failed.filter((id) => !dropped.has(id))).filter(({ length }) => length > 0)
    if (left.length <= allowed) return dropped
    const refusals = new Map<string, number>()
    for (const failed of left) for (const id of failed) refusals.set(id, (refusals.get(id) ?? 0) + 1)
    const [worst] = [...refusals].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    if (worst === undefined) return dropped
    dropped.add(worst[0])
  }
}
