import { z } from 'zod'
import { Figure } from '../../kernel/wire/figure.ts'

/** A specification that the service writes or reads. */
export const SpecView = z.object({
  id: z.string(),
  title: z.string(),
  schema: z.record(z.string(), z.unknown()).optional(),
})

/** A public recipe. */
export const RecipeView = z.object({
  id: z.string(),
  kind: z.enum(['template', 'concept']),
  name: z.string(),
  description: z.string(),
  cid: z.string().nullable(),
  k_score: z.number().nullable(),
  accepted_below_floor: z
    .boolean()
    .nullable()
    .meta({ description: 'Whether the K-score is below its floor and was accepted' }),
  figures: z
    .object({ k_score: Figure })
    .optional()
    .meta({ description: 'On how many rows the K-score was measured and how; or why it was not' }),
  updated_at: z.iso.datetime().nullable(),
})

/** Answer of `GET /v1/registry/public`. */
export const GetRegistryAnswer = z.object({
  recipes: z.array(RecipeView).meta({ description: 'Public concepts, the latest changed first; then templates' }),
  base_models: z.array(z.object({ id: z.string(), fingerprint: z.string() })),
  specs: z.array(SpecView),
})
