import type { MessagePort } from 'node:worker_threads'
import { DomainError } from '../../kernel/errors.ts'
import { packThreadError, unpackThreadError, type ThreadError } from '../../kernel/threads/thread-error.ts'
import type { JudgeAdapterInput } from '../lora/judge-adapter.ts'
import type { PreparedFit, PrepareFitInput } from '../lora/prepare-fit.ts'
import type { PreviewInput, PreviewOutput } from '../stages/preview.ts'
import type { SampleInput, SampleOutput, VerifyInput } from '../stages/stage-types.ts'
import type { Verdict } from '../stages/judge/verdict.ts'
import type { AdoptInput, AdoptOutput } from '../teacher/adopt-answers.ts'
import type { TrialInput, TrialOutput } from '../teacher/programs/try-programs.ts'

/** What each compute stage takes and gives. */
export interface ComputeStages {
  readonly sample: { readonly input: SampleInput; readonly output: SampleOutput }
  readonly verify: { readonly input: VerifyInput; readonly output: Verdict }
  readonly preview: { readonly input: PreviewInput; readonly output: PreviewOutput }
  readonly tryPrograms: { readonly input: TrialInput; readonly output: TrialOutput }
  readonly prepareFit: { readonly input: PrepareFitInput; readonly output: PreparedFit }
  readonly judgeAdapter: { readonly input: JudgeAdapterInput; readonly output: Verdict }
  readonly adopt: { readonly input: AdoptInput; readonly output: AdoptOutput }
}

/** What is sent to a thread: the stage with its input, and where to send progress. */
export type ComputeTask = {
  [Name in keyof ComputeStages]: {
    readonly stage: Name
    readonly input: ComputeStages[Name]['input']
    readonly port: MessagePort | null
  }
}[keyof ComputeStages]

/** What a thread answers: its output, or its error. */
export type ComputeReply<Output> =
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly error: ThreadError }

/** Packs an expected error for the way back; anything else is a bug and stays an exception. */
export function packError(error: unknown): ComputeReply<never> {
  if (!(error instanceof DomainError)) throw error
  return { ok: false, error: packThreadError(error) }
}

/** Takes a reply apart; throws the `DomainError` that the thread threw. */
export function unpackReply<Output>(reply: ComputeReply<Output>): Output {
  if (reply.ok) return reply.output
  throw unpackThreadError(reply.error)
}
