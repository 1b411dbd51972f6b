import { z } from 'zod'
import { WORK_STAGES, type JobStatus } from '../../core/compiler/task.ts'
import type { ErrorCode } from '../../core/errors.ts'

/** Which job an activity works on. */
export interface JobRef {
  readonly jobId: string
  readonly tenantId: string
}

/** What `k-sample` answers: counts only. */
export const SampleSummary = z.object({
  /** Kinds of recipe that have a candidate. */
  kinds: z.array(z.string()),
  candidates: z.int(),
  trainRows: z.int(),
  holdoutRows: z.int(),
})
export type SampleSummary = z.infer<typeof SampleSummary>

/** What `k-sample` records beside its answer: its cost as it stands in build.json. */
export const SampleFacts = z.object({
  measured: z.object({
    stage: z.enum(WORK_STAGES),
    status: z.enum(['done', 'skipped']),
    reason: z.string().nullable(),
    wall_ms: z.number(),
    cpu_ms: z.number(),
    search_steps: z.number(),
    training_steps: z.number(),
    provider_tokens: z.number(),
    cost_usd: z.number(),
  }),
})

/** What `verify` answers. */
export const VerdictSummary = z.object({
  passed: z.boolean(),
  /** The kind that was chosen, null when no kind had a candidate. */
  kind: z.string().nullable(),
  kScore: z.number(),
  floor: z.number(),
  holdoutRows: z.int(),
  failingRows: z.int(),
})
export type VerdictSummary = Readonly<z.infer<typeof VerdictSummary>>

/** What `lora-fit` answers: no trainer is part of this build, so it says why nothing was fitted. */
export const LoraSummary = z.object({ skipped: z.enum(['cheaper_recipe_passes', 'no_trainer_installed']) })
export type LoraSummary = z.infer<typeof LoraSummary>

/** What `bundle` answers. */
export const BundleSummary = z.object({ cid: z.string(), members: z.int(), sizeBytes: z.int() })
export type BundleSummary = z.infer<typeof BundleSummary>

/** What `sign` records of the archive. */
export const SignSummary = z.object({ cid: z.string(), archive: z.string(), sizeBytes: z.int(), kid: z.string() })
export type SignSummary = z.infer<typeof SignSummary>

/** How a job stands after an activity that ends it. */
export interface FinalJob {
  readonly status: JobStatus
  readonly kScore: number | null
  readonly errorCode: string | null
}

/** What ends a job as failed. The text for people is made from the code where it is written. */
export interface FailedJob extends JobRef {
  readonly errorCode: ErrorCode
}
