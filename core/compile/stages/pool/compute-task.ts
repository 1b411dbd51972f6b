import type { JudgeAdapterInput } from '../lora/judge-adapter.ts'
import type { PreparedFit, PrepareFitInput } from '../lora/prepare-fit.ts'
import type { PreviewInput, PreviewOutput } from '../preview/preview.ts'
import type { Splits } from '../../rows/split/split-rows.ts'
import type { JoinInput } from '../sample/sample.ts'
import type { PartInput, PartOutput } from '../sample/sample-part.ts'
import type { FoundQuestion, QuestionInput } from '../sample/find-question.ts'
import type { SampleInput, SampleOutput, StageProgress } from '../stage-types.ts'
import type { VerifyInput } from '../judge/verify-types.ts'
import type { Verdict } from '../judge/verdict.ts'
import type { AdoptInput, AdoptOutput } from '../teacher/adopt-answers.ts'
import type { TrialInput, TrialOutput } from '../teacher/programs/try-programs.ts'

interface Stage<Input, Output> {
  readonly input: Input
  readonly output: Output
  readonly progress: StageProgress
}

/** Input and output of each compute stage. */
export interface ComputeStages {
  readonly splitSample: Stage<SampleInput, Splits>
  readonly samplePart: Stage<PartInput, PartOutput>
  readonly joinSample: Stage<JoinInput, SampleOutput>
  readonly findQuestion: Stage<QuestionInput, FoundQuestion>
  readonly verify: Stage<VerifyInput, Verdict>
  readonly preview: Stage<PreviewInput, PreviewOutput>
  readonly tryPrograms: Stage<TrialInput, TrialOutput>
  readonly prepareFit: Stage<PrepareFitInput, PreparedFit>
  readonly judgeAdapter: Stage<JudgeAdapterInput, Verdict>
  readonly adopt: Stage<AdoptInput, AdoptOutput>
}
