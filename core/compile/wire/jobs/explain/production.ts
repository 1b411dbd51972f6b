import { z } from 'zod'
import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'
import { splitShortfalls } from '../../../rows/split/readiness.ts'

const Rows = z.int()

/** Why a compile is not ready for production. */
export const ProductionReason = z
  .discriminatedUnion('code', [
    z.object({ code: z.literal('few_rows_to_learn_from'), rows: Rows, needed: Rows }),
    z.object({ code: z.literal('few_held_out_rows'), rows: Rows, needed: Rows }),
    z.object({ code: z.literal('near_duplicates_scored'), rows: Rows }),
    z.object({ code: z.literal('below_floor'), k_score: z.number(), k_score_floor: z.number() }),
  ])
  .meta({
    id: 'ProductionReason',
    example: { code: 'few_rows_to_learn_from', rows: 24, needed: 40 },
    description:
      '`few_rows_to_learn_from`: of the rows that each scored recipe was fitted on. `near_duplicates_scored`: scored rows with a near-duplicate among the rows of their recipe',
  })
export type ProductionReason = z.infer<typeof ProductionReason>

const Seeds = z.object({
  train_count: Rows,
  holdout_count: Rows,
  min_train: Rows,
  min_holdout: Rows,
  production_ready: z.boolean(),
  fold_sizes: z.array(Rows).nullable().optional(),
  leakage_report: z.object({ near_duplicate_overlap: Rows }),
})

/** Readiness for production, with the reasons against it. */
export interface Production {
  readonly production_ready: boolean
  readonly production_reasons: ProductionReason[]
}

/**
 * Returns whether a stored evaluation is ready for production, and why not: 40 rows to learn from, 10 held-out rows, no
 * near-duplicates between them, and a K-score at its floor. Undefined where the rows were not split.
 */
export function productionOf(evaluation: Json | undefined): Production | undefined {
  if (!isJsonObject(evaluation)) return undefined
  const { data: seeds } = Seeds.safeParse(evaluation['seed_provenance'])
  if (seeds === undefined) return undefined
  const { k_score: kScore, k_score_floor: floor } = evaluation
  const reasons: ProductionReason[] = []
  if (typeof kScore === 'number' && typeof floor === 'number' && kScore < floor) {
    reasons.push({ code: 'below_floor', k_score: kScore, k_score_floor: floor })
  }
  reasons.push(...splitShortfalls(seeds))
  return { production_ready: seeds.production_ready && reasons.length === 0, production_reasons: reasons }
}
