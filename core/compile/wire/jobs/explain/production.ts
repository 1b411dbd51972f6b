import { z } from 'zod'
import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'
import { formatCount, formatScore } from '../../facts/numbers.ts'
import { ArtifactId } from '../../../../kernel/wire/ids.ts'
import { forgottenInWords, revokedInWords, type ReviewCauses } from './review.ts'
import { splitShortfalls, type SplitShortfall } from '../../../rows/split/readiness.ts'

const Rows = z.int()
const text = z.string().meta({ description: 'The reason in words' })

/** Why a compile is not ready for production. */
export const ProductionReason = z
  .discriminatedUnion('code', [
    z.object({ code: z.literal('few_rows_to_learn_from'), text, rows: Rows, needed: Rows }),
    z.object({ code: z.literal('few_held_out_rows'), text, rows: Rows, needed: Rows }),
    z.object({ code: z.literal('near_duplicates_scored'), text, rows: Rows }),
    z.object({ code: z.literal('below_floor'), text, k_score: z.number(), k_score_floor: z.number() }),
    z.object({ code: z.literal('capture_forgotten'), text, captures: Rows }),
    z.object({ code: z.literal('source_revoked'), text, artifacts: z.array(ArtifactId) }),
  ])
  .meta({
    id: 'ProductionReason',
    example: {
      code: 'few_rows_to_learn_from',
      text: '24 rows to learn from, 40 are needed',
      rows: 24,
      needed: 40,
    },
    description:
      '`few_rows_to_learn_from`: of the rows that each scored recipe was fitted on. `near_duplicates_scored`: scored rows with a near-duplicate among the rows of their recipe. `capture_forgotten`: it learned from captures that were forgotten since. `source_revoked`: it is built on artifacts that were revoked since',
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
 * Returns whether a stored evaluation is ready for production, and the reasons where it is not. It needs 40 rows to learn
 * from, 10 held-out rows, no near-duplicates between them and a K-score at its floor; no capture may have been forgotten
 * and no source revoked since. Undefined where the rows were not split.
 */
export function productionOf(
  evaluation: Json | undefined,
  { forgottenCaptures = 0, revokedSources = [] }: Partial<ReviewCauses> = {},
): Production | undefined {
  if (!isJsonObject(evaluation)) return undefined
  const { data: seeds } = Seeds.safeParse(evaluation['seed_provenance'])
  if (seeds === undefined) return undefined
  const { k_score: kScore, k_score_floor: floor } = evaluation
  const reasons: ProductionReason[] = []
  if (forgottenCaptures > 0) {
    reasons.push({
      code: 'capture_forgotten',
      text: forgottenInWords(forgottenCaptures),
      captures: forgottenCaptures,
    })
  }
  if (revokedSources.length > 0) {
    const words = revokedInWords(revokedSources)
    reasons.push({ code: 'source_revoked', text: words, artifacts: [...revokedSources] })
  }
  if (typeof kScore === 'number' && typeof floor === 'number' && kScore < floor) {
    const words = `K ${formatScore(kScore)} is below the floor of ${formatScore(floor)}`
    reasons.push({ code: 'below_floor', text: words, k_score: kScore, k_score_floor: floor })
  }
  const hasFolds = (seeds.fold_sizes ?? []).length > 0
  reasons.push(...splitShortfalls(seeds).map((one) => ({ ...one, text: shortfallInWords(one, hasFolds) })))
  return { production_ready: seeds.production_ready && reasons.length === 0, production_reasons: reasons }
}

/** Explains why there are fewer rows to learn from than were given. */
const CROSS_FITTED =
  ' (every row is scored once, by a recipe that did not learn from it, so fewer rows are left to learn from)'

function shortfallInWords(shortfall: SplitShortfall, hasFolds: boolean): string {
  const rows = formatCount(shortfall.rows, 'row')
  switch (shortfall.code) {
    case 'few_rows_to_learn_from':
      return `${rows} to learn from, ${formatCount(shortfall.needed)} are needed${hasFolds ? CROSS_FITTED : ''}`
    case 'few_held_out_rows':
      return `${formatCount(shortfall.rows, 'held-out row')}, ${formatCount(shortfall.needed)} are needed`
    case 'near_duplicates_scored':
      return `${formatCount(shortfall.rows, 'scored row')} with a near-duplicate among the rows learned from`
  }
}

/** Returns the reasons against production as one sentence; empty without any. */
export function productionInWords(reasons: readonly Pick<ProductionReason, 'text'>[]): string {
  const sentence = reasons.map((reason) => reason.text).join('; ')
  return sentence === '' ? '' : `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`
}
