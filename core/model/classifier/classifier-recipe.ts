import { z } from 'zod'
import type { FeatureSettings } from './features.ts'

/** Maximum n-gram length of a recipe; bounds the work of one call. */
const MAX_CHAR_GRAM = 8

const FeatureSettingsSchema = z.object({
  wordGrams: z.int().min(0).max(2),
  charGrams: z
    .tuple([z.int().min(0).max(MAX_CHAR_GRAM), z.int().min(0).max(MAX_CHAR_GRAM)])
    .refine(([min, max]) => min <= max && (min > 0 || max === 0), { error: 'shortest and longest do not fit' }),
}) satisfies z.ZodType<FeatureSettings>

/** A classifier without its weights, as stored in `recipes.json`. */
export const ClassifierRecipe = z.object({
  format: z.literal('svc-classifier-1'),
  /** The answer of each label: a JSON scalar. */
  labels: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).min(2),
  features: FeatureSettingsSchema,
  /** Number of features in the weights. */
  feature_count: z.int().nonnegative(),
  /** Scores are divided by it before the softmax, so that confidence means frequency. */
  temperature: z.number().positive(),
  /** Below this confidence the classifier abstains. */
  threshold: z.number().min(0).max(1),
})
/** A classifier without its weights. */
export type ClassifierRecipe = z.infer<typeof ClassifierRecipe>
