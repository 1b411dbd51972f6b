import { z } from 'zod'

/** The data of an event of a job's stream. Each kind of event has some of these fields, and may have more. */
export const JobEventBody = z.looseObject({
  seq: z.int().optional(),
  step: z.string().optional(),
  status: z.string().optional(),
  fraction: z.number().optional(),
  note: z.string().nullish(),
  message: z.string().optional(),
  code: z.string().optional(),
  question: z.int().optional(),
  k_score: z.number().optional(),
  training_step: z.int().optional(),
  training_steps: z.int().optional(),
  epoch: z.number().optional(),
  loss: z.number().optional(),
  validation_loss: z.number().nullish(),
  tokens_per_second: z.number().optional(),
  eta_seconds: z.number().optional(),
  on_policy_fraction: z.number().optional(),
  checkpoints: z.array(z.looseObject({ step: z.int(), validation_loss: z.number() })).optional(),
  error_code: z.string().optional(),
  error: z.string().optional(),
})
export type JobEventBody = z.input<typeof JobEventBody>
