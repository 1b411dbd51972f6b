import { z } from 'zod'
import { LEAF_KINDS } from '../../runtime/composite/composite-recipe.ts'
import { pointerOf } from '../../runtime/composite/places.ts'
import { wilsonInterval } from '../../../kernel/statistics/wilson-interval.ts'
import type { LeafTotals } from '../../archive/members/documents.ts'
import type { Json } from '../../../kernel/json/json.ts'

/** Result of one leaf of a composite, on rows that its recipe did not see. */
export const LeafView = z
  .object({
    path: z.string().meta({ description: 'Place in the output, as an RFC 6901 pointer', example: '/invoice/total' }),
    part: z.enum(['value', 'present']).meta({ description: '`present`: whether an optional value is there' }),
    kind: z.enum(LEAF_KINDS),
    n: z.int().meta({ description: 'Held-out rows whose expected output has a value there' }),
    accuracy: z.number(),
    interval: z.object({ low: z.number(), high: z.number() }).meta({ description: '95 % interval of the accuracy' }),
  })
  .meta({ id: 'Leaf', description: 'Result of one leaf of a composite recipe' })

/** Returns the results of leaves as an evaluation keeps them. */
export function presentLeaves(totals: readonly LeafTotals[]): z.input<typeof LeafView>[] {
  return totals.map(({ path, part, kind, n, correct }) => ({
    path: pointerOf(path),
    part,
    kind,
    n,
    accuracy: n === 0 ? 0 : Number((correct / n).toFixed(4)),
    interval: wilsonInterval(correct, n),
  }))
}

/** Returns the results of leaves in a stored evaluation; undefined for a recipe without leaves. */
export function leavesOfEvaluation(stored: Json | undefined): z.input<typeof LeafView>[] | undefined {
  return z.array(LeafView).safeParse(stored).data
}
