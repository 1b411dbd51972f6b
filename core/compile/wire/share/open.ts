import { z } from 'zod'
import { InWords } from '../facts/in-words.ts'
import { AcceptedView } from '../jobs/explain/acceptance.ts'
import { Figures } from '../jobs/figures.ts'
import { KInterval } from '../jobs/k-interval.ts'
import { ProductionReason } from '../jobs/explain/production.ts'
import { SharedContent } from './content.ts'

const Part = z.object({ name: z.enum(['report', 'archive']), url: z.string() })

/** The try-it of a link. */
const TryIt = z
  .object({
    url: z.string().meta({ description: 'Takes `POST {"input": …}`' }),
    runs_left: z.int().meta({ description: 'Runs that visitors of this link may still make' }),
  })
  .meta({ id: 'SharedTryIt' })

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
  content: SharedContent.nullable().optional().meta({
    description:
      'What the archive holds; null for links of kind `report`, which do not hand it out, and for archives that are too large to be opened for a page',
  }),
  try_it: TryIt.nullable().optional().meta({ description: 'Null for links without `allow_run`' }),
  holdout_count: z.int(),
  cid: z.string(),
  artifact_hash: z.string(),
  archive_hash: z.string(),
  bytes: z.int(),
  signed_by: z.string().nullable().optional().meta({ description: '`kid` of the key that signed' }),
  signed_at: z.iso.datetime(),
  expires_at: z.iso.datetime().meta({ description: 'When the link ends' }),
  parts: z.array(Part),
})
export type SharedView = z.output<typeof SharedView>
