import { judgeAdapter } from '../lora/judge-adapter.ts'
import { prepareFit } from '../lora/prepare-fit.ts'
import { previewCompile } from '../stages/preview.ts'
import { sampleCandidates } from '../stages/sample/sample.ts'
import type { StageHooks } from '../stages/stage-types.ts'
import { condenseVerdict } from '../stages/judge/verdict.ts'
import { verifyCandidates } from '../stages/judge/verify.ts'
import { adoptAnswers } from '../stages/teacher/adopt-answers.ts'
import { tryPrograms } from '../stages/teacher/programs/try-programs.ts'
import type { ComputeStages, ComputeTask } from './compute-task.ts'
import { packError, type ThreadReply } from '../../kernel/threads/reply.ts'

async function runStage(task: ComputeTask, hooks: StageHooks): Promise<ComputeStages[keyof ComputeStages]['output']> {
  switch (task.stage) {
    case 'sample':
      return sampleCandidates(task.input, hooks)
    case 'verify':
      return condenseVerdict(verifyCandidates(task.input, hooks))
    case 'preview':
      return previewCompile(task.input, hooks)
    case 'tryPrograms':
      return tryPrograms(task.input, hooks)
    case 'prepareFit':
      return await prepareFit(task.input)
    case 'judgeAdapter':
      return judgeAdapter(task.input)
    case 'adopt':
      return adoptAnswers(task.input, hooks)
  }
}

/** Runs one stage to completion in a compute thread. Throws every error that is not a `DomainError`. */
export async function runTask(task: ComputeTask): Promise<ThreadReply<ComputeStages[keyof ComputeStages]['output']>> {
  const { port } = task
  let last = ''
  const hooks: StageHooks =
    port === null
      ? {}
      : {
          onProgress: (progress) => {
            const key = `${progress.step}:${progress.done}`
            if (key === last) return
            last = key
            port.postMessage(progress)
          },
        }
  try {
    return { ok: true, output: await runStage(task, hooks) }
  } catch (error) {
    return packError(error)
  } finally {
    port?.close()
  }
}
