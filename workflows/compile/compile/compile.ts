import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { CompileActivities } from '../../../activities/compile/compile/activities.ts'
import type { AdapterSummary, FinalJob, SampleSummary } from '../../../activities/compile/compile/results.ts'
import type { WorkStage } from '../../../core/compile/task.ts'
import { fitAdapter } from './fit-adapter.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { K_SCORE_KEY, STAGE_KEY } from '../../kernel/names.ts'
import { ASK, COMPUTE, FINISH, STORE } from '../../kernel/policies.ts'
import { compileProgressQuery, fitProgressSignal, type CompileInput, type CompileOutcome } from './messages.ts'
import { CompileProgressState } from './progress.ts'

const compute = proxyActivities<CompileActivities>(COMPUTE)
const ask = proxyActivities<CompileActivities>(ASK)
const store = proxyActivities<CompileActivities>(STORE)
const finish = proxyActivities<CompileActivities>(FINISH)

/**
 * Compiles the examples of one job: one activity per stage, each of which stores its result in Postgres, so that a
 * repeated one returns its earlier result. The job's row always ends with the workflow: `ready` and `gated` are
 * outcomes, a failure fails the workflow with the machine code as its type, a cancellation cancels it.
 */
export async function compile({ jobId, tenantId }: CompileInput): Promise<CompileOutcome> {
  const job: CompileInput = { jobId, tenantId }
  const state = new CompileProgressState(workflowInfo().attempt)
  setHandler(compileProgressQuery, () => state.snapshot())
  setHandler(fitProgressSignal, (progress) => {
    if (state.tell(progress)) setCurrentDetails(state.describe())
  })
  setCurrentDetails(state.describe())
  try {
    return settle(state, await runStages(state, job))
  } catch (error) {
    return await endEarly(state, job, error)
  }
}

async function runStages(state: CompileProgressState, job: CompileInput): Promise<FinalJob> {
  begin(state, 'k-sample')
  const found = await compute.kSample.executeWithOptions(
    { ...COMPUTE, summary: 'Divide the examples into folds, search programs, train classifiers and tabular models' },
    [job],
  )
  // Absent in histories from before the teacher existed.
  const sampled = found.asksTeacher ? await askTeacher(state, job) : found
  end(
    state,
    'k-sample',
    `${sampled.candidates} candidates (${sampled.kinds.join(', ') || 'no kind applies'}) from ${sampled.trainRows} rows`,
  )

  begin(state, 'verify')
  const verdict = await compute.verify.executeWithOptions(
    {
      ...COMPUTE,
      summary: `Judge the best of ${sampled.candidates} candidates on ${sampled.holdoutRows} held-out rows`,
    },
    [job],
  )
  state.judge(verdict)
  end(state, 'verify', verdict.failingRows === 0 ? 'no row fails' : `${verdict.failingRows} rows fail`)

  begin(state, 'lora-fit')
  const adapter = await fitAdapter(state, job)
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
  end(state, 'bundle', `${bundle.members} content members, ${bundle.sizeBytes} bytes, \`${bundle.cid}\``)

  begin(state, 'sign')
  // Signing publishes: once begun it completes, and a cancellation comes too late.
  const final = await CancellationScope.nonCancellable(() =>
    store.sign.executeWithOptions({ ...STORE, summary: 'Sign the archive, store it, publish the version' }, [job]),
  )
  end(state, 'sign', `\`${bundle.cid}\``)
  return final
}

/** Asks the teacher about the open parts of `k-sample`, and adopts its answers. */
async function askTeacher(state: CompileProgressState, job: CompileInput): Promise<SampleSummary> {
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

/** Ends the row of a job whose stages did not complete, then ends the workflow in the same way. */
async function endEarly(state: CompileProgressState, job: CompileInput, error: unknown): Promise<CompileOutcome> {
  if (isCancellation(error)) {
    const final = await CancellationScope.nonCancellable(() =>
      finish.finishCancelled.executeWithOptions({ ...FINISH, summary: 'End cancelled' }, [job]),
    )
    if (final.status !== 'cancelled') return settle(state, final)
    settle(state, final)
    throw error
  }
  const errorCode = codeOfFailure(error)
  const final = await CancellationScope.nonCancellable(() =>
    finish.finishFailed.executeWithOptions({ ...FINISH, summary: `End failed: ${errorCode}` }, [{ ...job, errorCode }]),
  )
  return settle(state, final, error)
}

/** Shows the job's outcome and ends the workflow with it. */
function settle(state: CompileProgressState, final: FinalJob, cause?: unknown): CompileOutcome {
  state.finish(final.status, final.errorCode)
  show(state)
  if (final.status === 'ready' || final.status === 'gated' || final.status === 'cancelled') {
    return { status: final.status, kScore: final.kScore }
  }
  throw ApplicationFailure.create({
    type: final.errorCode ?? 'internal',
    message: `the compile failed in ${state.snapshot().stage}: ${final.errorCode ?? 'internal'}`,
    nonRetryable: true,
    ...(cause instanceof Error ? { cause } : {}),
  })
}

function describeAdapter({ status, code, verdict, steps }: AdapterSummary): string {
  const why = code?.replaceAll('_', ' ') ?? ''
  if (status === 'fitted') return `adapter fitted in ${steps} steps, ${verdict.kind === 'lora' ? 'chosen' : 'beaten'}`
  return `adapter ${status}: ${why}`
}

function begin(state: CompileProgressState, stage: WorkStage): void {
  state.begin(stage)
  show(state)
}

function end(state: CompileProgressState, stage: WorkStage, note: string): void {
  state.complete(stage, note)
  setCurrentDetails(state.describe())
}

function show(state: CompileProgressState): void {
  const { kScore } = state.snapshot()
  setCurrentDetails(state.describe())
  upsertSearchAttributes([
    { key: STAGE_KEY, value: state.label() },
    ...(kScore === null ? [] : [{ key: K_SCORE_KEY, value: kScore }]),
  ])
}
