import { proxyActivities, setHandler } from '@temporalio/workflow'
import type { CompileActivities } from '../../../activities/compile/compile/activities.ts'
import type { BuildSummary, FinalJob } from '../../../activities/compile/compile/results.ts'
import type { WorkStage } from '../../../core/compile/rows/task.ts'
import { COMPUTE } from '../../kernel/policies.ts'
import { askTeacher } from './ask-teacher.ts'
import { describeAdapter, describeBundle, describeFailing, describeSample } from './describe.ts'
import { fitAdapter } from './fit-adapter.ts'
import { RowWait } from '../../kernel/row-wait.ts'
import { changedSignal, type CompileInput } from './messages.ts'
import type { CompileProgressState } from './progress.ts'
import { begin, end, show } from './show.ts'

const compute = proxyActivities<CompileActivities>(COMPUTE)

/**
 * Runs the stages of a job: one activity for all that are quick, which stops before a question, before a teacher is
 * asked and before an adapter is fitted, and continues afterwards. No slot is held while a question is open. Returns how the job ended.
 */
export async function buildStages(state: CompileProgressState, job: CompileInput): Promise<FinalJob> {
  const answers = new RowWait()
  setHandler(changedSignal, () => answers.wake())
  for (let stage: WorkStage = 'k-sample'; ;) {
    answers.begin()
    state.begin(stage)
    state.remark('search, score, bundle and sign in one activity')
    show(state)
    const built = await compute.buildArtifact.executeWithOptions(
      { ...COMPUTE, summary: 'Search, score, bundle, sign and publish' },
      [job],
    )
    if (built.final !== null) return ended(state, stage, built, built.final)
    const { question } = built.sampled
    if (question !== null) {
      state.ask(question.left)
      show(state)
      await answers.wait(question)
    } else if (built.adapter === null) {
      const sampled = await askTeacher(state, job)
      end(state, 'k-sample', describeSample(sampled))
      stage = 'verify'
    } else {
      if (built.verdict !== null) state.judge(built.verdict)
      begin(state, 'lora-fit')
      const adapter = await fitAdapter(state, job, built.adapter)
      state.judge(adapter.verdict)
      end(state, 'lora-fit', describeAdapter(adapter))
      stage = 'bundle'
    }
  }
}

/** Shows how far the activity came, which began with `stage`: at `bundle` the fit was shown before. */
function ended(
  state: CompileProgressState,
  stage: WorkStage,
  { verdict, adapter, bundle }: BuildSummary,
  final: FinalJob,
): FinalJob {
  if (adapter === null || verdict === null) return final
  state.judge(adapter.verdict)
  if (bundle === null) {
    if (stage === 'bundle') return final
    state.begin('lora-fit')
    state.complete('lora-fit', `${describeFailing(verdict)}, ${describeAdapter(adapter)}`)
  } else {
    state.begin('sign')
    state.complete('sign', describeBundle(bundle))
  }
  return final
}
