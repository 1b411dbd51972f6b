import pLimit from 'p-limit'
import { labelPrompt, labelSchema } from '../../../core/compile/stages/teacher/labels/label-prompt.ts'
import { inferOutputType } from '../../../core/compile/stages/verifier/output-type.ts'
import type { Row } from '../../../core/compile/rows/task.ts'
import type { OpenModel } from '../../../core/gateway/ports.ts'
import { costMicros } from '../../../core/gateway/providers/prices.ts'
import { ProviderError } from '../../../core/gateway/providers/provider-error.ts'
import { countAnswers } from '../../../core/learn/distill/read-answers.ts'
import { TEACHER_SAMPLES } from '../../../core/learn/distill/relabel.ts'
import { spentUsd } from '../../../core/learn/distill/spend.ts'
import { pairOf } from '../../../core/learn/datasets/rows/row-content.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { pendingForgets } from '../../../db/learn/datasets/forget/pending-forgets.ts'
import { findReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { streamRows } from '../../../db/learn/datasets/read-rows.ts'
import { beginRunStage, recordSpend } from '../../../db/learn/distill/advance-run.ts'
import { findRun, type ShownRun } from '../../../db/learn/distill/find-run.ts'
import {
  listRunSamples,
  recordRunSamples,
  recordUnknownSpend,
  type NewRunSample,
} from '../../../db/learn/distill/teacher-samples.ts'
import { runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { correctionsOf } from './corrections.ts'
import { operationOf, type DistillDeps, type RunRef } from './deps.ts'

/** Rows that are asked about at once. */
const AT_ONCE = 4
/** Rows to learn from that a question shows. */
const SHOWN = 12
/** Samples of one row differ where the model is unsure; their vote measures this. */
const TEMPERATURE = 0.7
const MAX_TOKENS = 1024
/** From this attempt on a teacher that does not answer is given up, and the run continues with what it has. */
const GIVE_UP_AT_ATTEMPT = 6

/** The result of asking the teacher. */
export interface LabelledRows {
  readonly asked: number
  readonly relabelled: number
  readonly samples: number
  /** Null when a price or a use of tokens is unknown. */
  readonly spendUsd: number | null
}

const NOTHING_ASKED: LabelledRows = { asked: 0, relabelled: 0, samples: 0, spendUsd: 0 }

/**
 * Asks the teacher of a run about the rows that were put aside, some samples a row. A row comes back when enough samples agree and the
 * verifier of the other rows lets the answer pass. Held-out rows are in no question. Safe to repeat: a sample is recorded as soon as it
 * is paid for, and is not paid for again. Throws what `ModelPort` throws.
 */
export async function labelRows(deps: DistillDeps, ref: RunRef): Promise<LabelledRows> {
  return await runActivity(deps.log, async (activity) => {
    const op = operationOf(deps, ref)
    const run = await findRun(op, ref.runId)
    // The teachers of other kinds of runs are models here, which the fit itself asks.
    if (run.kind !== 'from_captures' || !run.teacher || run.putAside?.length === 0) return NOTHING_ASKED
    const { train, aside } = await readSides(op, run)
    await beginRunStage(op, ref.runId, 'label')
    const { memberId, teamId } = run.chargedTo
    const caller = {
      tenantId: ref.tenantId,
      memberId: memberId === '' ? null : memberId,
      teamId: teamId === '' ? null : teamId,
      namespace: run.namespace,
    }
    const model = await deps.models.open(caller, run.teacher)
    const { stopped, unreadable } = await askAll(op, { run, model, train, aside, activity })
    const samples = await listRunSamples(op, ref.runId)
    const refusals = samples.filter(isRefusal)
    const answers = samples.length - refusals.length
    const corrections = correctionsOf(samples, { train, aside })
    const spend = samples.reduce((sum, { costMicros: cost }) => sum + cost, 0)
    const relabelled = aside.filter(({ id }) => corrections.has(id)).length
    await recordSpend(op, ref.runId, spend)
    const { manifest } = await findRun(op, ref.runId)
    const spendUsd = spentUsd(manifest, spend)
    await beginRunStage(op, ref.runId, 'label', {
      counts: {
        put_aside: aside.length - relabelled,
        relabelled,
        teacher_samples: answers,
        train: train.length + relabelled,
      },
      manifest: {
        teacher: {
          provider: model.identity.provider,
          model: model.identity.model,
          samples_per_row: TEACHER_SAMPLES,
          rows_asked: aside.length,
          rows_agreed: relabelled,
          spend_usd: spendUsd,
          rows_refused: new Set(refusals.map(({ rowId }) => rowId)).size + unreadable,
          stopped,
        },
      },
    })
    return { asked: aside.length, relabelled, samples: answers, spendUsd }
  })
}

/** Reads the rows to learn from, and those of them that were put aside. */
export async function readSides(op: Operation, { datasetId, datasetVersion, putAside }: ShownRun) {
  const train: Row[] = []
  const aside: Row[] = []
  if (!datasetId || !datasetVersion) return { train, aside }
  const doubted = new Set(putAside)
  const version = await findReadyVersion(op, datasetId, datasetVersion)
  const { hashes } = await pendingForgets(op, datasetId)
  for await (const { record, stored } of streamRows(op.db, version, hashes)) {
    const { input, output } = pairOf(stored.row)
    if (record.isHeld || output === null) continue
    const side = doubted.has(stored.id) ? aside : train
    side.push({ id: stored.id, input, output })
  }
  return { train, aside }
}

interface Asking {
  readonly run: ShownRun
  readonly model: OpenModel
  readonly train: readonly Row[]
  readonly aside: readonly Row[]
  readonly activity: RunningActivity
}

/** The end of asking a teacher. */
interface AskedTeacher {
  /** The code of a teacher that was given up; null otherwise. */
  readonly stopped: string | null
  /** Rows that the teacher answered with something that cannot be read. */
  readonly unreadable: number
}

/** A refused row gets too few votes whatever else is answered. */
function isRefusal({ finish }: Pick<NewRunSample, 'finish'>): boolean {
  return finish === 'refusal'
}

/**
 * Collects the missing paid samples. A question that the teacher refuses leaves its row as it is, and is recorded, so that
 * it is not asked again; so does an unreadable answer. The third of those in a row and other final failures end the asking.
 */
async function askAll(op: Operation, { run, model, train, aside, activity }: Asking): Promise<AskedTeacher> {
  const owned = Map.groupBy(await listRunSamples(op, run.id), ({ rowId }) => rowId)
  const output = inferOutputType(train)
  const schema = labelSchema(output)
  const perCall = Math.max(1, Math.min(TEACHER_SAMPLES, model.provider.maxSamplesPerCall))
  const limit = pLimit(AT_ONCE)
  let stopped: string | null = null
  let isBroken = false
  let unreadable = 0
  let done = 0
  const answers = countAnswers()
  const askRow = async (row: Row): Promise<void> => {
    let mine: readonly Pick<NewRunSample, 'finish'>[] = owned.get(row.id) ?? []
    while (mine.length < TEACHER_SAMPLES && !mine.some(isRefusal) && stopped === null && !isBroken) {
      activity.signal.throwIfAborted()
      const wanted = { rowId: row.id, from: mine.length, n: Math.min(perCall, TEACHER_SAMPLES - mine.length) }
      const samples = await refusedOr(wanted, async () =>
        buy(model, wanted, activity.signal, {
          messages: labelPrompt({ task: run.request.task, output, shown: train.slice(0, SHOWN) }, row.input, ''),
          ...(schema !== undefined && { schema }),
        }),
      )
      answers.read()
      await recordRunSamples(op, run.id, samples)
      if (samples.length === 0) break
      mine = [...mine, ...samples]
    }
    done++
    activity.note({ step: 'label', done, total: aside.length })
  }
  const ends = await Promise.allSettled(
    aside.map(async (row) =>
      limit(async () => {
        try {
          await askRow(row)
        } catch (error) {
          if (error instanceof ProviderError && !activity.signal.aborted) {
            const isUnreadable = error.failure === 'invalid_response'
            if (isUnreadable) unreadable++
            if (isUnreadable || !error.facts.retryable || activity.attempt >= GIVE_UP_AT_ATTEMPT) {
              if (!isUnreadable || answers.unreadable()) stopped ??= error.code
              if (error.mayBeBilled) await recordUnknownSpend(op, run.id)
              return
            }
          }
          isBroken = true
          throw error
        }
      }),
    ),
  )
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return { stopped, unreadable }
}

/** Returns the samples of a question; for one that the teacher refuses a sample that says so, at an unknown cost. */
async function refusedOr(
  { rowId, from }: Wanted,
  ask: () => Promise<readonly NewRunSample[]>,
): Promise<readonly NewRunSample[]> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof ProviderError) || error.failure !== 'refused') throw error
    return [{ rowId, ordinal: from, text: '', finish: 'refusal', costMicros: null }]
  }
}

interface Wanted {
  readonly rowId: string
  readonly from: number
  readonly n: number
}

async function buy(
  { provider, identity }: OpenModel,
  { rowId, from, n }: Wanted,
  signal: AbortSignal,
  request: Pick<Parameters<typeof provider.ask>[0], 'messages' | 'schema'>,
): Promise<readonly NewRunSample[]> {
  const reply = await provider.ask(
    { ...request, n, temperature: TEMPERATURE, maxTokens: MAX_TOKENS, wantsJson: true },
    signal,
  )
  const { prices } = identity
  const cost = prices === null || reply.usage === null ? null : costMicros(prices, reply.usage)
  const { length } = reply.samples
  const share = cost === null ? null : Math.floor(cost / length)
  return reply.samples.slice(0, n).map(({ text, finish }, at) => ({
    rowId,
    ordinal: from + at,
    text,
    finish,
    costMicros: at === 0 && cost !== null && share !== null ? cost - share * (length - 1) : share,
  }))
}
