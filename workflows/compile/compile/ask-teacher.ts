import { proxyActivities, setCurrentDetails } from '@temporalio/workflow'
import type { CompileActivities } from '../../../activities/compile/compile/activities.ts'
import type { SampleSummary } from '../../../activities/compile/compile/results.ts'
import { ASK, COMPUTE } from '../../kernel/policies.ts'
import type { CompileInput } from './messages.ts'
import type { CompileProgressState } from './progress.ts'

const compute = proxyActivities<CompileActivities>(COMPUTE)
const ask = proxyActivities<CompileActivities>(ASK)

/** Asks the teacher about the open parts of `k-sample`, and adopts its answers. */
export async function askTeacher(state: CompileProgressState, job: CompileInput): Promise<SampleSummary> {
  const asked = await ask.askTeacher.executeWithOptions(
    { ...ASK, summary: 'Ask the teacher for programs and labels, within its budget' },
    [job],
  )
  const usd = (asked.costUsdMicros / 1_000_000).toFixed(4)
  state.remark(`${asked.samples} samples of the teacher, ${asked.bought} paid, for ${usd} USD`)
  setCurrentDetails(state.describe())
  return await compute.adoptAnswers.executeWithOptions(
    { ...COMPUTE, summary: `Judge and adopt ${asked.samples} samples of the teacher` },
    [job],
  )
}
