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
  ])
  .readonly()
export type EqualityRule = z.infer<typeof EqualityRule>

/** Text that orders rules: by path, then by kind. */
function orderKey({ path, kind }: EqualityRule): string {
  return JSON.stringify([path, kind])
}

/** Returns rules in the one order in which an equality lists them. */
export function inOrder(rules: readonly EqualityRule[]): readonly EqualityRule[] {
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
 * Equality of outputs, as data: one per task, inferred from the outputs of its rows. Values at a path without a rule of
 * their type are compared exactly. Published in docs/formats/svc-format.md.
 */
export const Equality = z.strictObject({
  spec: z.literal('svc-equality-1'),
  rules: z
    .array(EqualityRule)
    .max(MAX_RULES)
    .refine(areInOrder, 'rules in order, one for each path and kind')
    .readonly(),
})
export type Equality = Readonly<z.infer<typeof Equality>>

/** The equality without rules: values are equal when their canonical JSON is. */
export const EXACT: Equality = { spec: 'svc-equality-1', rules: [] }
