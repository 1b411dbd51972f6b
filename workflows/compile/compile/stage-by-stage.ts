import { CancellationScope, proxyActivities } from '@temporalio/workflow'
import type { CompileActivities } from '../../../activities/compile/compile/activities.ts'
import type { FinalJob } from '../../../activities/compile/compile/results.ts'
import { COMPUTE, FINISH, STORE } from '../../kernel/policies.ts'
import { askTeacher } from './ask-teacher.ts'
import { describeAdapter, describeBundle, describeFailing, describeSample } from './describe.ts'
import { planAndFitAdapter } from './fit-adapter.ts'
import type { CompileInput } from './messages.ts'
import type { CompileProgressState } from './progress.ts'
import { begin, end } from './show.ts'

const compute = proxyActivities<CompileActivities>(COMPUTE)
const store = proxyActivities<CompileActivities>(STORE)
const finish = proxyActivities<CompileActivities>(FINISH)

/** Runs one activity per stage. Kept for runs that began before `buildStages` replaced it. */
export async function stageByStage(state: CompileProgressState, job: CompileInput): Promise<FinalJob> {
  begin(state, 'k-sample')
  const found = await compute.kSample.executeWithOptions(
    { ...COMPUTE, summary: 'Divide the examples into folds, search programs, train classifiers and tabular models' },
    [job],
  )
  // Absent in histories from before the teacher existed.
  const sampled = found.asksTeacher ? await askTeacher(state, job) : found
  end(state, 'k-sample', describeSample(sampled))

  begin(state, 'verify')
  const verdict = await compute.verify.executeWithOptions(
    {
      ...COMPUTE,
      summary: `Judge the best of ${sampled.candidates} candidates on ${sampled.holdoutRows} held-out rows`,
    },
    [job],
  )
  state.judge(verdict)
  end(state, 'verify', describeFailing(verdict))

  begin(state, 'lora-fit')
  const adapter = await planAndFitAdapter(state, job)
  state.judge(adapter.verdict)
  end(state, 'lora-fit', describeAdapter(adapter))
  const { passed, kind, kScore, floor } = adapter.verdict
  if (!passed) {
    return await finish.finishGated.executeWithOptions(
      { ...FINISH, summary: `End gated: K ${kScore.toFixed(4)} is below the floor ${floor}` },
      [job],
    )
  }

  begin(state, 'bundle')
  const bundle = await store.bundle.executeWithOptions(
    { ...STORE, summary: `Write the archive of the ${kind ?? ''} with its verifier and evaluation` },
    [job],
  )
  end(state, 'bundle', describeBundle(bundle))

  begin(state, 'sign')
  // Signing publishes: once begun it completes, and a cancellation comes too late.
  const final = await CancellationScope.nonCancellable(() =>
    store.sign.executeWithOptions({ ...STORE, summary: 'Sign the archive, store it, publish the version' }, [job]),
  )
  end(state, 'sign', `\`${bundle.cid}\``)
  return final
}
