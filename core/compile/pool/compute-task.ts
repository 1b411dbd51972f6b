import type { MessagePort } from 'node:worker_threads'
import type { JudgeAdapterInput } from '../lora/judge-adapter.ts'
import type { PreparedFit, PrepareFitInput } from '../lora/prepare-fit.ts'
import type { PreviewInput, PreviewOutput } from '../stages/preview.ts'
import type { SampleInput, SampleOutput, VerifyInput } from '../stages/stage-types.ts'
import type { Verdict } from '../stages/judge/verdict.ts'
import type { AdoptInput, AdoptOutput } from '../stages/teacher/adopt-answers.ts'
import type { TrialInput, TrialOutput } from '../stages/teacher/programs/try-programs.ts'

/** Input and output of each compute stage. */
export interface ComputeStages {
  readonly sample: { readonly input: SampleInput; readonly output: SampleOutput }
  readonly verify: { readonly input: VerifyInput; readonly output: Verdict }
  readonly preview: { readonly input: PreviewInput; readonly output: PreviewOutput }
  readonly tryPrograms: { readonly input: TrialInput; readonly output: TrialOutput }
  readonly prepareFit: { readonly input: PrepareFitInput; readonly output: PreparedFit }
  readonly judgeAdapter: { readonly input: JudgeAdapterInput; readonly output: Verdict }
  readonly adopt: { readonly input: AdoptInput; readonly output: AdoptOutput }
}

/** Message to a thread: the stage with its input, and the port for progress. */
export type ComputeTask = {
  [Name in keyof ComputeStages]: {
    readonly stage: Name
    readonly input: ComputeStages[Name]['input']
    readonly port: MessagePort | null
  }
}[keyof ComputeStages]
