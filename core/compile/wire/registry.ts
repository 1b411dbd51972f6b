import { z } from 'zod'

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
  updated_at: z.iso.datetime().nullable(),
})

/** Answer of `GET /v1/registry/public`. */
export const GetRegistryAnswer = z.object({
  recipes: z.array(RecipeView).meta({ description: 'Public concepts, the latest changed first; then templates' }),
  base_models: z.array(z.object({ id: z.string(), fingerprint: z.string() })),
  specs: z.array(SpecView),
})
