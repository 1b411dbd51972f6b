import { ApplicationFailure } from '@temporalio/activity'
import pLimit from 'p-limit'
import { ProviderError } from '../../../core/gateway/providers/provider-error.ts'
import { costMicros } from '../../../core/gateway/providers/prices.ts'
import { REAL_CLOCK, withRetries, type RetryPolicy } from '../../../core/gateway/protocol/upstream/retry.ts'
import type { OpenModel } from '../../../core/gateway/ports.ts'
import type { ProviderReply } from '../../../core/gateway/providers/provider.ts'
import { LEARN_ERRORS, isErrorCode } from '../../../core/learn/errors.ts'
import { conversationRequest, dialogueTurns } from '../../../core/learn/evals/bench/runs/dialogue.ts'
import type { PreparedRow } from '../../../core/learn/evals/prompts/prepared.ts'
import type { BoughtAnswer, EvalDefinition } from '../../../core/learn/evals/evaluation.ts'
import { modelRequest } from '../../../core/learn/evals/targets/model-request.ts'
import { recordAnswer, rowsToAsk } from '../../../db/learn/evals/buy-answers.ts'
import { beginEvaluation } from '../../../db/learn/evals/run-evaluation.ts'
import { codeOfError } from '../../kernel/failures.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type EvaluationDeps, type EvaluationRef } from './deps.ts'

/** Questions under way at once, of one evaluation. */
const AT_ONCE = 8
/** Rows that are read at once. */
const PAGE = 64
/** Calls for one answer within an attempt, and pauses between them. */
const RETRY: RetryPolicy = { attempts: 5, baseMs: 500, maxMs: 30_000, repeatsBilled: true }
/** Attempts after which a provider that does not answer is given up; the evaluation can be resumed. */
const GIVE_UP_AT_ATTEMPT = 6

/**
 * Asks a provider's model for the answers that rows of an evaluation lack. Safe to repeat: each answer is recorded as it
 * arrives, so that an attempt after a killed worker asks only for those that were under way. Returns the number of rows that
 * wait for their scores with all answers, those of earlier attempts among them.
 */
export async function askModel(deps: EvaluationDeps, ref: EvaluationRef): Promise<number> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      const begun = await beginEvaluation(op, ref.evaluationId)
      if (begun === null) return 0
      const { definition, namespace, rowCount } = begun
      const { target } = definition
      if (target.kind !== 'model') return 0
      const { memberId, teamId } = target
      try {
        const caller = { tenantId: ref.tenantId, memberId, teamId, namespace }
        const model = await deps.models.open(caller, target.model)
        return await askRows({ deps, ref, definition, model, rowCount }, activity)
      } catch (error) {
        throw activity.attempt >= GIVE_UP_AT_ATTEMPT && error instanceof ProviderError ? givenUp(error) : error
      }
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

function givenUp(error: ProviderError): ApplicationFailure {
  const type = codeOfError(error, isErrorCode)
  return ApplicationFailure.create({ type, message: `${type}: the provider was given up`, nonRetryable: true })
}

interface Asking {
  readonly deps: EvaluationDeps
  readonly ref: EvaluationRef
  readonly definition: EvalDefinition
  readonly model: OpenModel
  readonly rowCount: number
}

type RowToAsk = Awaited<ReturnType<typeof rowsToAsk>>[number]

async function askRows(asking: Asking, activity: RunningActivity): Promise<number> {
  const { deps, ref, rowCount } = asking
  const op = operationOf(deps, ref)
  const atOnce = pLimit(AT_ONCE)
  let asked = 0
  let failure: unknown
  for (let after = -1; ;) {
    const rows = await rowsToAsk(op, ref.evaluationId, { after, limit: PAGE })
    const last = rows.at(-1)
    if (last === undefined) return asked
    const ask = async (row: RowToAsk): Promise<void> => {
      // After a failure the answers that are under way are still recorded: they are paid for.
      if (failure !== undefined) return
      try {
        await askRow(asking, row, activity)
        activity.note({ step: 'ask', done: ++asked, total: rowCount })
      } catch (error) {
        failure ??= error
      }
    }
    await Promise.all(rows.map(async (row) => await atOnce(ask, row)))
    activity.signal.throwIfAborted()
    if (failure !== undefined) throw failure
    after = last.place
  }
}

async function askRow(
  { deps, ref, definition, model }: Asking,
  { place, sample, answers }: RowToAsk,
  { signal, progress }: RunningActivity,
): Promise<void> {
  const task = definition.set.tasks.find(({ task: name }) => name === sample.task)
  if (task === undefined) throw LEARN_ERRORS.evaluation_failed(`there is no task ${sample.task}`)
  const op = operationOf(deps, ref)
  const texts = (answers ?? []).map(({ text }) => text)
  for (let repeat = texts.length; repeat < task.repeats; repeat++) {
    const request = modelRequest(task, asked(definition, sample, texts), { seed: definition.seed, repeat })
    const answer = await withRetries(async () => await answerOf(model, request, signal), RETRY, REAL_CLOCK, signal)
    await recordAnswer(op, ref.evaluationId, { place, repeat, answer, isLast: repeat + 1 === task.repeats })
    texts.push(answer.text)
    progress()
  }
}

/** Returns the row to ask next. In a dialogue this is the next turn, with the answered turns before it. */
function asked({ bench }: EvalDefinition, row: PreparedRow, answers: readonly string[]): PreparedRow {
  if (bench?.benchmark !== 'mtbench') return row
  return { ...row, requests: [conversationRequest(dialogueTurns(row.doc).turns, answers)] }
}

/** A model that declines has answered: asked again it would decline again. */
async function answerOf(
  model: OpenModel,
  request: ReturnType<typeof modelRequest>,
  signal: AbortSignal,
): Promise<BoughtAnswer> {
  try {
    return boughtOf(model, await model.provider.ask(request, signal))
  } catch (error) {
    if (!(error instanceof ProviderError) || error.failure !== 'refused') throw error
    return { text: '', isRefusal: true, inputTokens: 0, outputTokens: 0, costUsdMicros: 0 }
  }
}

function boughtOf({ identity: { prices } }: OpenModel, { samples, usage }: ProviderReply): BoughtAnswer {
  const [sample] = samples
  return {
    text: sample?.text ?? '',
    isRefusal: sample?.finish === 'refusal',
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    costUsdMicros: prices === null || usage === null ? null : costMicros(prices, usage),
  }
}
