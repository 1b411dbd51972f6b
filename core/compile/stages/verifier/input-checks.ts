import type { Row } from '../../rows/task.ts'
import { failedChecks } from './check-output.ts'
import { bitsOf, familiarity, writeBits } from './familiar.ts'
import { checksOfValues, nameOfPath, valuesByPath, type ValuesAtPath } from './generate-checks.ts'
import { valuesAt } from './values-at.ts'
import type { Check } from './verifier-types.ts'

/** Texts from which trigrams say what is usual, and their least mean length. */
const LEAST_TEXTS = 30
const LEAST_MEAN_CHARS = 12
/** Share of unseen rows that may have fewer known trigrams than the least share, before the room below it. */
const TAIL = 0.01
const ROOM = 0.9

/** Least shares of known trigrams by the name of the path. */
type FamiliarFloors = ReadonlyMap<string, number>

function textsOf({ values }: ValuesAtPath): readonly string[] | null {
  const texts = values.filter((value) => typeof value === 'string')
  if (texts.length !== values.length || texts.length < LEAST_TEXTS) return null
  const chars = texts.reduce((sum, text) => sum + text.length, 0)
  return chars < texts.length * LEAST_MEAN_CHARS ? null : texts
}

/**
 * Returns, for the paths with enough longer texts, the share of known trigrams that nearly all texts have when other
 * folds' texts are the known ones: nine tenths of the first percentile.
 */
export function familiarFloors(rows: readonly Row[], folds: readonly (readonly number[])[]): FamiliarFloors {
  const floors = new Map<string, number>()
  for (const one of valuesByPath(rows.map(({ input }) => input))) {
    if (textsOf(one) === null) continue
    const name = nameOfPath(one.path)
    const shares = folds.flatMap((fold) => {
      const left = new Set(fold)
      const seen = valuesAtRows(rows, one, (place) => !left.has(place))
      const bits = bitsOf(seen)
      return valuesAtRows(rows, one, (place) => left.has(place)).map((text) => familiarity(text, bits))
    })
    const sorted = Float64Array.from(shares).sort()
    const floor = sorted[Math.floor(sorted.length * TAIL)]
    if (floor !== undefined) floors.set(name, Math.floor(floor * ROOM * 10_000) / 10_000)
  }
  return floors
}

function valuesAtRows(rows: readonly Row[], { path }: ValuesAtPath, isWanted: (place: number) => boolean): string[] {
  const inputs = rows.filter((_, place) => isWanted(place)).map(({ input }) => input)
  return inputs.flatMap((input) => valuesAt(input, path)).filter((value) => typeof value === 'string')
}

/** Returns true for a check that names values of the rows: their texts, or numbers that follow from the least and largest. */
export function isNamingValues({ kind }: Pick<Check, 'kind'>): boolean {
  return kind === 'one_of' || kind === 'range'
}

/**
 * Returns the checks that the inputs of all rows pass: types, members, sizes, ranges, shapes, characters, trigrams.
 * With `hidesInputs` there is none that names values.
 */
export function generateInputChecks(
  rows: readonly Row[],
  floors: FamiliarFloors,
  hidesInputs = false,
): readonly Check[] {
  const checks = valuesByPath(rows.map(({ input }) => input)).flatMap((one): readonly Check[] => {
    const at = nameOfPath(one.path)
    const floor = floors.get(at)
    const texts = floor === undefined ? null : one.values.filter((value) => typeof value === 'string')
    const familiar =
      floor === undefined || texts === null
        ? []
        : [
            {
              id: `familiar:${at}`,
              kind: 'familiar' as const,
              path: one.path,
              bits: writeBits(bitsOf(texts)),
              min_share: floor,
            },
          ]
    return [...checksOfValues(one).filter((check) => !hidesInputs || !isNamingValues(check)), ...familiar]
  })
  const refusing = new Set(rows.flatMap(({ input }) => failedChecks(checks, input, input)))
  return checks.filter(({ id }) => !refusing.has(id))
}
