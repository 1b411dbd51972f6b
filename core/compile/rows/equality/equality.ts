import { z } from 'zod'

/** Path step that means every element of a list. */
export const EACH = '*'

/** Rules of one equality; a path beyond them is compared exactly. */
export const MAX_RULES = 1024
/** Steps of a path: the nesting that outputs may have. */
export const MAX_STEPS = 64
/** Characters of a member's name in a path. */
export const MAX_NAME = 4096

/** The loosest tolerances that any equality may state. */
export const LOOSEST: NumberTolerance = { relative: 1e-9, absolute: 1e-9 }

/** Two numbers are equal when they differ by at most `absolute`, or by `relative` times the larger magnitude. */
export interface NumberTolerance {
  readonly relative: number
  readonly absolute: number
}

const Path = z.array(z.string().max(MAX_NAME)).max(MAX_STEPS).readonly()

/** Bounds of a tolerance that a caller states. */
const BOUNDS = { relative: z.number().min(0).lt(1), absolute: z.number().min(0) } as const

/** Comparison of the values at one path where both have the type of the rule. */
export const EqualityRule = z
  .discriminatedUnion('kind', [
    z.strictObject({
      path: Path,
      kind: z.literal('number'),
      relative: z.number().positive().max(LOOSEST.relative),
      absolute: z.number().positive().max(LOOSEST.absolute),
    }),
    z.strictObject({ path: Path, kind: z.literal('text'), form: z.literal('nfc') }),
    z
      .strictObject({ path: Path, kind: z.literal('tolerance'), ...BOUNDS })
      .refine(({ relative, absolute }) => relative > 0 || absolute > 0, 'a tolerance has a bound above 0'),
  ])
  .readonly()
export type EqualityRule = z.infer<typeof EqualityRule>

/** Text that orders rules: by path, then by kind. */
function orderKey({ path, kind }: EqualityRule): string {
  return JSON.stringify([path, kind])
}

/** Returns rules in the one order in which an equality lists them. */
function inOrder(rules: readonly EqualityRule[]): readonly EqualityRule[] {
  const keyed = rules.map((rule) => ({ rule, key: orderKey(rule) }))
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ rule }) => rule)
}

function areInOrder(rules: readonly EqualityRule[]): boolean {
  return rules.every((rule, place) => {
    const earlier = rules[place - 1]
    return earlier === undefined || orderKey(earlier) < orderKey(rule)
  })
}

/**
 * Equality of outputs, as data: one per task, inferred from the outputs of its rows, with the tolerances that its caller
 * states. Values at a path without a rule of their type are compared exactly. `svc-equality-2` has tolerances,
 * `svc-equality-1` has none. Published in docs/formats/svc-format.md.
 */
export const Equality = z
  .strictObject({
    spec: z.enum(['svc-equality-1', 'svc-equality-2']),
    rules: z
      .array(EqualityRule)
      .max(MAX_RULES)
      .refine(areInOrder, 'rules in order, one for each path and kind')
      .readonly(),
  })
  .refine(
    ({ spec, rules }) => rules.some(({ kind }) => kind === 'tolerance') === (spec === 'svc-equality-2'),
    'svc-equality-2 where a rule is a tolerance, and svc-equality-1 elsewhere',
  )
export type Equality = Readonly<z.infer<typeof Equality>>

/** Returns the equality of some rules, in their order. */
export function equalityOf(rules: readonly EqualityRule[]): Equality {
  const hasTolerance = rules.some(({ kind }) => kind === 'tolerance')
  return { spec: hasTolerance ? 'svc-equality-2' : 'svc-equality-1', rules: inOrder(rules) }
}

/** The equality without rules: values are equal when their canonical JSON is. */
export const EXACT: Equality = { spec: 'svc-equality-1', rules: [] }
