import { z } from 'zod'
import { DistilOptions } from '../../compile/stages/lora/fit/distil-options.ts'
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

/** Where the rows of a run come from: a file of the workspace, or a version of a dataset. */
const RowSource = z.discriminatedUnion('from', [
  z.object({ from: z.literal('workspace'), path: z.string() }),
  z.object({ from: z.literal('dataset'), dataset_id: z.string(), version: z.int() }),
])

/** An on-policy distillation, as validated. */
const OnPolicyRequest = z.object({
  kind: z.literal('onpolicy'),
  task: z.string(),
  k_score_floor: z.number(),
  base_model: z.string(),
  train_ratio: z.number(),
  rows: RowSource,
  distil: DistilOptions,
})
/** An on-policy distillation. */
export type OnPolicyRequest = z.infer<typeof OnPolicyRequest>

/** What a run was asked for, as its row keeps it. */
export const DistillRequest = z.discriminatedUnion('kind', [CapturesRequest, OnPolicyRequest])
/** What a run was asked for. */
export type DistillRequest = z.infer<typeof DistillRequest>
