import { z } from 'zod'
import { LoraOptions } from '../../../compile/stages/lora/lora-options.ts'

/** Choices of the compile of a cloud job, as its row keeps them. */
export const CloudChoices = z.object({
  task: z.string(),
  k_score_floor: z.number(),
  lora: LoraOptions,
})
/** Choices of the compile of a cloud job. */
export type CloudChoices = z.output<typeof CloudChoices>

/** Team and member that pay for a cloud job, as its row keeps them. */
export const CloudChargedTo = z.object({ namespace: z.string(), teamId: z.string(), memberId: z.string() })
