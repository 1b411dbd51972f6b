import { z } from 'zod'
import { REVIEW_STATUSES } from '../../gateway/captures/review.ts'

/** A distillation of captured calls, as validated. */
const CapturesRequest = z.object({
  kind: z.literal('from_captures'),
  mode: z.enum(['recipe', 'specialist']),
  task: z.string(),
  /** Captures to learn from; null for all of the namespace with one of the statuses. */
  capture_ids: z.array(z.string()).nullable(),
  statuses: z.array(z.enum(REVIEW_STATUSES)),
  most: z.int(),
  /** Share of the rows to learn from; the others are held out. */
  train_ratio: z.number(),
  /** Signature of the cluster of a recipe. */
  template_hash: z.string().nullable(),
  k_score_floor: z.number(),
  base_model: z.string().nullable(),
})

/** A cloud job that has begun: captures of a window, whose fit is leased at the trainer door. */
const CloudRequest = CapturesRequest.extend({
  kind: z.literal('cloud'),
  /** Captures from this time on are taken. */
  capture_from: z.iso.datetime(),
  cloud_job_id: z.string(),
  /** `LoraOptions`, those that were given. */
  lora: z.record(z.string(), z.union([z.number(), z.string()])),
})

/** What a run was asked for, as its row keeps it. */
export const DistillRequest = z.discriminatedUnion('kind', [CapturesRequest, CloudRequest])
/** What a run was asked for. */
export type DistillRequest = z.infer<typeof DistillRequest>
