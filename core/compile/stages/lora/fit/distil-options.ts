import { z } from 'zod'

/** A base, or an adapter artifact on it. */
const ModelChoice = z.object({ base: z.string(), artifact_id: z.string().nullable() })
/** A base, or an adapter artifact on it. */
export type ModelChoice = z.infer<typeof ModelChoice>

/**
 * Options of the distillation of an adapter by the objective `gkd`, as the spec of a job keeps it. Runs of distillation set it; no caller
 * of a compile can.
 */
export const DistilOptions = z.object({
  student: ModelChoice,
  teacher: ModelChoice,
  beta: z.number(),
  lmbda: z.number(),
  temperature: z.number(),
  max_new_tokens: z.int(),
  max_steps: z.int(),
  /** Share of the steps that come first and are supervised. */
  warmup: z.number(),
  seed: z.int(),
})
/** Settings of the distillation of an adapter from a teacher. */
export type DistilOptions = z.infer<typeof DistilOptions>
