import { z } from 'zod'
import { TRAINERS } from '../../../core/compile/lora/lora-options.ts'
import { WORK_STAGES, type JobStatus } from '../../../core/compile/task.ts'
import type { ErrorCode } from '../../../core/errors.ts'

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
  /** True when the stage is not done: a teacher is to be asked, and its answers adopted. */
  asksTeacher: z.boolean().default(false),
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

/** What `askTeacher` answers: counts only. */
export interface AskSummary {
  readonly samples: number
  readonly bought: number
  readonly costUsdMicros: number
  /** Code of what ended the asking early; null when everything was asked. */
  readonly stopped: string | null
}

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

/** What the activities of `lora-fit` answer: whether there is something to fit, and in the end how the job stands. */
export const AdapterSummary = z.object({
  status: z.enum(['planned', 'skipped', 'failed', 'fitted']),
  /** Why nothing is fitted, or why the fit failed. */
  code: z.string().nullable(),
  trainer: z.enum(TRAINERS),
  /** Digests of the inputs of the fits, in the order in which they are made. */
  fits: z.array(z.string()),
  trainRows: z.int(),
  steps: z.int(),
  /** The kinds with the adapter among them; while it is planned, without. */
  verdict: VerdictSummary,
})
export type AdapterSummary = Readonly<z.infer<typeof AdapterSummary>>

/** What `lora-fit` records beside its answer when nothing was fitted: why, for people. */
export const AdapterFacts = z.object({ code: z.string(), reason: z.string() })

/** One fit of a job: what it is trained on, as the trainers take it. */
export interface FitRef {
  readonly jobId: string
  /** Absent in runs that an earlier version began. */
  readonly tenantId?: string
  readonly inputSha256: string
}

const Digest = z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)])

/** What a trainer answers: digests of the files it left, and figures. */
export const FitSummary = z.object({
  adapterConfigSha256: Digest,
  adapterModelSha256: Digest,
  trainingSha256: Digest,
  steps: z.int(),
  bestStep: z.int(),
  stoppedEarly: z.boolean(),
  loss: z.number(),
  validationLoss: z.number().nullable(),
  tokensPerSecond: z.number(),
})
export type FitSummary = Readonly<z.infer<typeof FitSummary>>

/** What is judged: the fits in their order, or the code of the one that failed. */
export interface FittedJob extends JobRef {
  readonly fits: readonly FitSummary[]
  readonly failure: ErrorCode | null
}

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
