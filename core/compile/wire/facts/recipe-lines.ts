import { z } from 'zod'

/** A recipe in words, line by line, like a list with sub-lists. */
export const RecipeLines = z.array(
  z
    .object({
      depth: z.int().min(0).meta({ description: 'How far the line is indented' }),
      text: z.string(),
    })
    .meta({ id: 'RecipeLine', example: { depth: 0, text: 'the first letter of the input, in capitals' } }),
)
export type RecipeLine = z.infer<typeof RecipeLines>[number]
