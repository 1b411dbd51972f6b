import { serveTasks, type RunningTask } from '../../../kernel/threads/serve-tasks.ts'
import { previewCompile } from '../preview/preview.ts'
import { findQuestion } from '../sample/find-question.ts'
import { joinSample } from '../sample/sample.ts'
import { samplePart, splitSample } from '../sample/sample-part.ts'
import type { StageHooks, StageProgress } from '../stage-types.ts'
import { condenseVerdict } from '../judge/verdict.ts'
import { verifyCandidates } from '../judge/verify.ts'
import { adoptAnswers } from '../teacher/adopt-answers.ts'
import { tryPrograms } from '../teacher/programs/try-programs.ts'
import type { ComputeStages } from './compute-task.ts'

/** Reports each step once. */
function hooksOf(task: RunningTask<StageProgress, never>): StageHooks {
  let last = ''
  return {
    onProgress: (progress) => {
      const key = `${progress.step}:${progress.done}`
      if (key === last) return
      last = key
      task.tell(progress)
    },
  }
}

serveTasks<ComputeStages>({
  splitSample: (input) => splitSample(input),
  samplePart: (input, task) => samplePart(input, hooksOf(task)),
  joinSample: (input) => joinSample(input),
  findQuestion: (input, task) => findQuestion(input, hooksOf(task)),
  verify: (input, task) => condenseVerdict(verifyCandidates(input, hooksOf(task))),
  preview: (input, task) => previewCompile(input, hooksOf(task)),
  tryPrograms: (input, task) => tryPrograms(input, hooksOf(task)),
  // Loaded with the first fit: most threads never see one, and start a sixth sooner.
  prepareFit: async (input) => await (await import('../lora/prepare-fit.ts')).prepareFit(input),
  judgeAdapter: async (input) => (await import('../lora/judge-adapter.ts')).judgeAdapter(input),
  adopt: (input, task) => adoptAnswers(input, hooksOf(task)),
})
