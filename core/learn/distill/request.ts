import { z } from 'zod'
import { DistilOptions } from '../../compile/stages/lora/fit/distil-options.ts'
import { REVIEW_STATUSES } from '../../gateway/captures/review.ts'

/** Captures that a run takes. */
const CapturesTaken = z.object({
  /** Captures to learn from; null for all of the namespace with one of the statuses. */
  capture_ids: z.array(z.string()).nullable(),
  statuses: z.array(z.enum(REVIEW_STATUSES)),
  most: z.int(),
})
/** Captures that a run takes. */
export type CapturesTaken = z.infer<typeof CapturesTaken>

const Common = {
  task: z.string(),
  k_score_floor: z.number(),
  base_model: z.string().nullable(),
  /** Share of the rows to learn from; the others are held out. */
  train_ratio: z.number(),
}

/** A distillation of captured calls, as validated. */
const CapturesRequest = CapturesTaken.extend({
  kind: z.literal('from_captures'),
  mode: z.enum(['recipe', 'specialist']),
  ...Common,
  /** Signature of the cluster of a recipe. */
  template_hash: z.string().nullable(),
})

/** Objectives of preference training. */
export const PREFERENCE_OBJECTIVES = ['dpo', 'simpo', 'orpo', 'kto'] as const

const InWorkspace = z.object({ from: z.literal('workspace'), path: z.string() })
const InDataset = z.object({ from: z.literal('dataset'), dataset_id: z.string(), version: z.int() })

/** The source of the pairs of a run: a file of the workspace, a version of a dataset, or corrections of reviewers. */
const PairSource = z.discriminatedUnion('from', [
  InWorkspace,
  InDataset,
  CapturesTaken.extend({ from: z.literal('review') }),
])

/** A training on preferences, as validated. */
const PreferenceRequest = z.object({
  kind: z.literal('preference'),
  ...Common,
  base_model: z.string(),
  objective: z.enum(PREFERENCE_OBJECTIVES),
  beta: z.number(),
  /** Settings of the fit in the names of a compile's `lora`. */
  lora: z.record(z.string(), z.union([z.number(), z.string()])),
  pairs: PairSource,
})
/** A training on preferences. */
export type PreferenceRequest = z.infer<typeof PreferenceRequest>

/** An on-policy distillation, as validated. */
const OnPolicyRequest = z.object({
  kind: z.literal('onpolicy'),
  ...Common,
  base_model: z.string(),
  rows: z.discriminatedUnion('from', [InWorkspace, InDataset]),
  distil: DistilOptions,
})
/** An on-policy distillation. */
export type OnPolicyRequest = z.infer<typeof OnPolicyRequest>

/** A cloud job that has begun: captures of a window, whose fit is leased at the trainer door. */
const CloudRequest = CapturesRequest.extend({
  kind: z.literal('cloud'),
  /** Captures from this time on are taken. */
  capture_from: z.iso.datetime(),
  /** When the job was submitted: later captures are not taken. */
  capture_to: z.iso.datetime(),
  cloud_job_id: z.string(),
  /** `LoraOptions`, those that were given. */
  lora: z.record(z.string(), z.union([z.number(), z.string()])),
})

/** The request for a run, as its row keeps it. */
export const DistillRequest = z.discriminatedUnion('kind', [
  CapturesRequest,
  CloudRequest,
  PreferenceRequest,
  OnPolicyRequest,
])
/** The request for a run. */
export type DistillRequest = z.infer<typeof DistillRequest>
