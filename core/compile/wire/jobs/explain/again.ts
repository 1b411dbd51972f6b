import { z } from 'zod'
import { RECIPE_CHOICES } from '../../../stages/lora/lora-options.ts'
import type { Limits } from '../../../limits.ts'
import { questionChoices } from '../questions.ts'
import { CompileChoices, exampleList, KScoreFloor, taskText } from '../spec.ts'

/** Changed, added and removed rows of one call. */
const MAX_CHANGES = 1000

/** The body of `POST /v1/compile/{id}/again`. */
export function againBody(limits: Limits) {
  return z
    .object({
      examples: exampleList(limits, MAX_CHANGES).optional().meta({
        description:
          'An example with the `id` of an earlier one replaces it; every other one is added. Of an unlabelled input, an example with its `id` and an `output` is its label',
      }),
      remove: z
        .array(z.string().min(1).max(128))
        .max(MAX_CHANGES)
        .default([])
        .meta({ description: 'Ids of examples to leave out' }),
      task: taskText(limits).optional(),
      k_score_floor: KScoreFloor.optional(),
      recipe_kind: z.enum(RECIPE_CHOICES).optional(),
      base_model: CompileChoices.shape.base_model,
      tolerances: CompileChoices.shape.tolerances,
      questions: questionChoices(limits).optional(),
      mode: CompileChoices.shape.mode,
    })
    .meta({
      id: 'CompileAgain',
      example: { examples: [{ id: 'row_7', input: 'John Backus', output: 'BACKUS' }], remove: ['row_3'] },
    })
}
export type AgainBody = z.output<ReturnType<typeof againBody>>
