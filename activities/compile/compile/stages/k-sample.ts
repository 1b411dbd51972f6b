import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import type { SampleOutput } from '../../../../core/compile/stages/stage-types.ts'
import { openRound } from '../../../../db/compile/progress/teacher-samples/rounds.ts'
import { sampleInParts } from '../../../../core/compile/stages/pool/sample-in-parts.ts'
import type { HeldSlot } from '../../../compute-slot.ts'
import { operationOf, type CompileDeps } from '../deps.ts'
import { doStage, inLane, runStages, type StageRecord, type StageWork } from '../run-stage.ts'
import { SampleSummary, type JobRef } from '../results.ts'
import { NO_QUESTION, openQuestion } from './ask-question.ts'
import { sampleInput } from './sample-input.ts'
import { keepOutput, outputBlob, storedCost } from '../stage-data.ts'
import { watchProgress } from '../watch-progress.ts'

/** The stage `k-sample` as an activity of its own, for runs that began before `buildArtifact` existed. */
export async function kSample(deps: CompileDeps, ref: JobRef): Promise<SampleSummary> {
  return await runStages(deps, ref, async (work) => await inLane(work, 'short', sampleStage))
}

/**
 * Splits the examples, searches programs, trains a classifier and a tabular model, and fits a composite where one is needed,
 * on all rows and without each fold, in threads. When a teacher is to be asked about unsolved parts, the result is stored as
 * a draft and the stage continues with `askTeacher` and `adoptAnswers`.
 */
export async function sampleStage(work: StageWork, slot: HeldSlot): Promise<SampleSummary> {
  const { deps, ref, activity, data } = work
  return await doStage(work, 'k-sample', SampleSummary, async (job) => {
    const open = await data.round()
    if (open !== null) return { unfinished: SampleSummary.parse(open.summary) }
    // Before the rows are read: answers are part of them, and none comes once no question is open.
    const { question, searched } = work.goesOn ? await openQuestion(work, job) : NO_QUESTION
    if (question !== null) return { unfinished: { ...NOTHING_SAMPLED, question } }
    const selection = await data.rows()
    const output = await sampleInParts(
      deps.pool,
      sampleInput(deps, job, selection),
      watchProgress(deps, ref, 'k-sample', activity),
      {
        count: deps.cores.count - 1,
        aside: async (aside, signal) => await slot.beside(signal, aside),
      },
      searched === null ? [] : [searched],
    )
    if (output.dropped !== undefined && output.dropped.length > 0) {
      deps.log.warn(
        { job: ref.jobId, reasons: output.dropped },
        'the search dropped candidates that the language refuses',
      )
    }
    if (output.teacherPlan === null || deps.teacher === null) {
      const record = await sampleRecord(deps, output)
      data.keepOutput('k-sample', record.blobSha256, output)
      return record
    }
    const summary = { ...summarize(output), asksTeacher: true }
    const round = await openRound(operationOf(deps, ref), {
      jobId: ref.jobId,
      blobSha256: await keepOutput(deps, output),
      summary,
      budgetUsdMicros: Math.floor(deps.teacher.identity.settings.budgetUsd * 1_000_000),
      now: deps.now(),
    })
    return { unfinished: SampleSummary.parse(round.summary) }
  })
}

/** Returns the record of the completed stage. */
export async function sampleRecord(
  deps: CompileDeps,
  output: SampleOutput,
): Promise<StageRecord<SampleSummary> & { readonly blobSha256: Sha256 }> {
  const kept = await outputBlob(deps, output)
  return {
    outcome: 'done',
    result: summarize(output),
    facts: { measured: { ...output.cost } },
    blobSha256: kept.sha256,
    blobs: [kept],
    cost: storedCost(output.cost),
    events: [{ kind: 'log', body: teacherEvent(output) }],
    next: 'verify',
  }
}

function summarize(output: SampleOutput): SampleSummary {
  return {
    kinds: output.kinds.map((candidates) => candidates.kind),
    candidates: output.samples.length,
    trainRows: output.split.train.length,
    holdoutRows: output.split.holdout.length,
    asksTeacher: false,
    question: null,
  }
}

/** Summary of a stage that waits for an answer before it samples. */
const NOTHING_SAMPLED: SampleSummary = {
  kinds: [],
  candidates: 0,
  trainRows: 0,
  holdoutRows: 0,
  asksTeacher: false,
  question: null,
}

function teacherEvent({ teacher }: SampleOutput) {
  const { status, reason, model, samples, bought, cost_usd: costUsd } = teacher
  const code = status === 'asked' ? 'teacher_asked' : (reason ?? status)
  const message =
    status === 'asked'
      ? `${samples} samples of ${model ?? 'the teacher'}, ${bought} of them paid, for ${costUsd} USD${reason === null ? '' : `; asking ended early: ${reason}`}`
      : `no teacher was asked: ${code.replaceAll('_', ' ')}`
  return { step: 'k-sample', code, message }
}
