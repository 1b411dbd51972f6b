import { z } from 'zod'
import { equalityOf, MAX_NAME, MAX_RULES, MAX_STEPS, type Equality, type EqualityRule } from './equality.ts'

/** Tolerances that one compile may state. */
const MOST_TOLERANCES = 32

const PATH_DESCRIPTION =
  'Where the number is: names of members from the outside in, and `*` for every element of a list. Absent or empty: the output itself.'

/** Largest distance of a number in an answer from the expected one, on the wire. */
const Tolerance = z
  .strictObject({
    path: z
      .array(z.string().max(MAX_NAME))
      .max(MAX_STEPS)
      .default([])
      .meta({ description: PATH_DESCRIPTION, example: ['price'] }),
    absolute: z
      .number()
      .positive()
      .optional()
      .meta({ description: 'Difference, in the unit of the number', example: 0.5 }),
    relative: z
      .number()
      .positive()
      .lt(1)
      .optional()
      .meta({ description: 'Difference as a share of the larger of both magnitudes', example: 0.02 }),
  })
  .refine(({ absolute, relative }) => absolute !== undefined || relative !== undefined, {
    error: 'must have absolute, relative or both',
  })
  .meta({
    id: 'Tolerance',
    override: { anyOf: [{ required: ['absolute'] }, { required: ['relative'] }] },
    description:
      'An answer counts as right where its number at `path` differs from the expected one by at most `absolute`, or by at most the share `relative`.',
  })
export type Tolerance = z.output<typeof Tolerance>

/** The tolerances of a compile, on the wire: at most one for a path. */
export const Tolerances = z
  .array(Tolerance)
  .max(MOST_TOLERANCES)
  .refine((all) => new Set(all.map(({ path }) => JSON.stringify(path))).size === all.length, {
    error: 'must name each path once',
  })
  .meta({
    description:
      'For numbers that are estimated or measured: how far an answer may be from the expected number and still count as right. Rows, score, floor and verification use it, and the archive states it. Without it a number is right when it is equal to all decimals that the examples show. Rows with the same input whose outputs lie within it are no contradiction.',
  })
export type Tolerances = z.output<typeof Tolerances>

/** Returns an equality with the tolerances that a caller states; unchanged without any. */
export function withTolerances(equality: Equality, tolerances: readonly Tolerance[] = []): Equality {
  if (tolerances.length === 0) return equality
  const stated = tolerances.map(({ path, absolute = 0, relative = 0 }): EqualityRule => ({
    path,
    kind: 'tolerance',
    relative,
    absolute,
  }))
  const inferred = withoutTolerances(equality).rules
  return equalityOf([...inferred.slice(0, MAX_RULES - stated.length), ...stated])
}

/** Returns the tolerances of an equality that its caller stated. */
export function tolerancesOf(equality: Equality | null | undefined): readonly Tolerance[] {
  return (equality?.rules ?? []).flatMap((rule) => {
    if (rule.kind !== 'tolerance') return []
    const { path, absolute, relative } = rule
    return [{ path: [...path], ...(absolute > 0 && { absolute }), ...(relative > 0 && { relative }) }]
  })
}

/** Returns an equality without the tolerances that a caller stated: what a search for exact programs compares with. */
export function withoutTolerances(equality: Equality): Equality {
  if (equality.spec === 'svc-equality-1') return equality
  return equalityOf(equality.rules.filter(({ kind }) => kind !== 'tolerance'))
}

/** Returns a tolerance in words: `price within 0.5 or 2 %`. */
export function tolerancePhrase({ path = [], absolute, relative }: z.input<typeof Tolerance>): string {
  const bounds = [
    ...(absolute === undefined ? [] : [String(absolute)]),
    ...(relative === undefined ? [] : [`${Number((relative * 100).toPrecision(6))} %`]),
  ]
  return `${pathPhrase(path)} within ${bounds.join(' or ')}`
}

/** Returns a path in words: `items.*.price`; `the number` for the output itself. */
export function pathPhrase(path: readonly string[]): string {
  return path.length === 0 ? 'the number' : path.join('.')
}
