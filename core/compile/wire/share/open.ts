import { z } from 'zod'
import { AcceptedView } from '../jobs/explain/acceptance.ts'
import { Figures } from '../jobs/figures.ts'
import { KInterval } from '../jobs/k-interval.ts'
import { ProductionReason } from '../jobs/explain/production.ts'
import { InWords } from '../facts/in-words.ts'

const Part = z.object({ name: z.enum(['report', 'archive']), url: z.string() })

/** An artifact as a share link shows it. */
export const SharedView = z.object({
  kind: z.enum(['artifact', 'report']),
  name: z.string(),
  recipe_kind: z.string(),
  k_score: z.number(),
  k_interval: KInterval.nullable(),
  figures: Figures.nullable(),
  production_ready: z.boolean().optional(),
  production_reasons: z.array(ProductionReason).optional(),
  accepted: AcceptedView.nullable().meta({ description: 'Of an artifact that was accepted below its floor' }),
  in_words: InWords.optional().meta({ description: 'Its facts as sentences' }),
  holdout_count: z.int(),
  cid: z.string(),
  artifact_hash: z.string(),
  archive_hash: z.string(),
  bytes: z.int(),
  signed_at: z.iso.datetime(),
  expires_at: z.iso.datetime().meta({ description: 'When the link ends' }),
  parts: z.array(Part),
})
