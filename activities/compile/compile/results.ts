import { z } from 'zod'
import { FITTERS } from '../../../core/compile/stages/lora/lora-options.ts'
import { WORK_STAGES, type JobStatus, type Stage } from '../../../core/compile/rows/task.ts'
import type { ErrorCode } from '../../../core/compile/errors.ts'

/** The job that an activity works on. */
export interface JobRef {
  readonly jobId: string
  readonly tenantId: string
}

/** A question that a job waits for. */
export const OpenQuestion = z.object({
  number: z.int(),
  /** Questions that may still be asked, this one included. */
  left: z.int(),
  waitMs: z.number(),
})
export type OpenQuestion = z.infer<typeof OpenQuestion>

/** Result of `k-sample`: counts only. */
export const SampleSummary = z.object({
  /** Kinds of recipe that have a candidate. */
  kinds: z.array(z.string()),
  candidates: z.int(),
  trainRows: z.int(),
  holdoutRows: z.int(),
  /** True when the stage is not done: the teacher must be asked, and its answers adopted. */
  asksTeacher: z.boolean().default(false),
  /** Set when the stage is not done: the caller has to answer a question. */
  question: OpenQuestion.nullable().default(null),
})
export type SampleSummary = z.infer<typeof SampleSummary>

/** Record of `k-sample` beside its result: its cost, as in build.json. */
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

/** Result of `askTeacher`: counts only. */
export interface AskSummary {
  readonly samples: number
  readonly bought: number
  readonly costUsdMicros: number
  /** Code of the reason that asking ended early; null when it completed. */
  readonly stopped: string | null
}

/** Result of `verify`. */
export const VerdictSummary = z.object({
  passed: z.boolean(),
  /** The chosen kind; null when no kind had a candidate. */
  kind: z.string().nullable(),
  kScore: z.number(),
  floor: z.number(),
  holdoutRows: z.int(),
  failingRows: z.int(),
})
export type VerdictSummary = Readonly<z.infer<typeof VerdictSummary>>

/** Result of the `lora-fit` activities: whether an adapter is to be fitted and, at the end, the state of the job. */
export const AdapterSummary = z.object({
  status: z.enum(['planned', 'skipped', 'failed', 'fitted']),
  /** Reason that no adapter is fitted, or that the fit failed. */
  code: z.string().nullable(),
  trainer: z.enum(FITTERS),
  /** Digests of the inputs of the fits, in the order of fitting. */
  fits: z.array(z.string()),
  trainRows: z.int(),
  steps: z.int(),
  /** The kinds including the adapter; without it while it is planned. */
  verdict: VerdictSummary,
})
export type AdapterSummary = Readonly<z.infer<typeof AdapterSummary>>

/** Record of `lora-fit` beside its result when no adapter was fitted: the reason, for people. */
export const AdapterFacts = z.object({ code: z.string(), reason: z.string() })

/** One fit of a job: its training input, in the trainers' form. */
export interface FitRef {
  readonly jobId: string
  /** Absent in runs of earlier versions. */
  readonly tenantId?: string
  readonly inputSha256: string
}

const Digest = z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)])

/** Result of a trainer: digests of its output files, and figures. */
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

/** Input for judging: the fits in order, or the code of the failed one. */
export interface FittedJob extends JobRef {
  readonly fits: readonly FitSummary[]
  readonly failure: ErrorCode | null
}

/** Result of `bundle`. */
export const BundleSummary = z.object({ cid: z.string(), members: z.int(), sizeBytes: z.int() })
export type BundleSummary = z.infer<typeof BundleSummary>

/** Record of `sign` about the archive. */
export const SignSummary = z.object({ cid: z.string(), archive: z.string(), sizeBytes: z.int(), kid: z.string() })
export type SignSummary = z.infer<typeof SignSummary>

/** State of a job after an activity that ends it. */
export interface FinalJob {
  readonly status: JobStatus
  readonly kScore: number | null
  readonly errorCode: string | null
  /** The stage in which it ended. Absent in histories of earlier versions. */
  readonly stage?: Stage
}

/** Result of `buildArtifact`: how far it came, and what it met there. */
export interface BuildSummary {
  readonly sampled: SampleSummary
  /** Null while the teacher must be asked. */
  readonly verdict: VerdictSummary | null
  /** Null as well; with status `planned` while an adapter must be fitted. */
  readonly adapter: AdapterSummary | null
  /** Null unless the job was signed. */
  readonly bundle: BundleSummary | null
  /** Null while a long stage must be done first; then the activity is to be repeated. */
  readonly final: FinalJob | null
}

/** Failure of a job. The text for people is derived from the code when the row is written. */
export interface FailedJob extends JobRef {
  readonly errorCode: ErrorCode
}
