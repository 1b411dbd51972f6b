import type { Teacher } from '../../../../core/compile/stages/teacher/teacher.ts'
import type { TeacherSample, TeacherStop } from '../../../../core/compile/stages/teacher/teacher-types.ts'
import { costMicros, worstCaseMicros, type KnownPrices } from '../../../../core/gateway/providers/prices.ts'
import type { ProviderReply, ProviderRequest } from '../../../../core/gateway/providers/provider.ts'
import { ProviderError } from '../../../../core/gateway/providers/provider-error.ts'
import { withRetries } from '../../../../core/gateway/protocol/upstream/retry.ts'
import { hashJson, type Json, type Sha256 } from '../../../../core/kernel/json/json.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { releaseReservation, reserveSpending } from '../../../../db/compile/progress/teacher-samples/rounds.ts'
import {
  findEarlierSample,
  recordSamples,
  type NewTeacherSample,
} from '../../../../db/compile/progress/teacher-samples/samples.ts'

/** A question without its number of samples. */
export type SampleRequest = Omit<ProviderRequest, 'n'>

/** Dependencies of a buyer. */
export interface BuyerOptions {
  readonly op: Operation
  readonly teacher: Teacher
  readonly prices: KnownPrices
  readonly jobId: string
  /** Samples that the job already has: they are not paid for again. */
  readonly owned: readonly TeacherSample[]
  readonly signal: AbortSignal
  /** True when a provider with transient failures is given up instead of being asked again by a later attempt. */
  readonly isLastAttempt: boolean
  readonly now: () => Date
  /** Called after each sample. */
  readonly onSample: () => void
}

/** Collects paid samples within a budget, each once. */
export interface Buyer {
  /**
   * Returns the samples of a question: first those that the job has, then those that the tenant already paid for with
   * the same request, then new ones. Returns fewer than requested once asking has stopped. Throws when a later attempt
   * may succeed.
   */
  buy(question: string, count: number, request: SampleRequest): Promise<readonly TeacherSample[]>
  /** Reason to buy no more samples. */
  ending(): { readonly stopped: TeacherStop; readonly failure: string | null }
}

class BudgetSpent extends Error {}

/** Calls without a single sample that are allowed for one question before it is skipped. */
const EMPTY_CALLS = 3

/** Opens a buyer for one attempt of a job. */
export function createBuyer(options: BuyerOptions): Buyer {
  const { op, teacher, prices, jobId, signal } = options
  const { provider, identity } = teacher
  const perCall = Math.max(1, Math.min(identity.settings.samplesPerCall, provider.maxSamplesPerCall))
  const owned = new Map(options.owned.map((sample) => [keyOf(sample.question, sample.ordinal), sample]))
  let stopped: TeacherStop = null
  let failure: string | null = null
  let isBroken = false

  async function keep(samples: readonly NewTeacherSample[], reservedUsdMicros: number): Promise<void> {
    await recordSamples(op, { jobId, samples, reservedUsdMicros, now: options.now() })
    for (const sample of samples) {
      owned.set(keyOf(sample.question, sample.ordinal), sample)
      options.onSample()
    }
  }

  /** Makes one attempt at one call. Reserves its maximum cost first and releases it when the call was not billed. */
  async function callOnce(request: ProviderRequest, held: number): Promise<ProviderReply> {
    return await teacher.calls(async () => {
      signal.throwIfAborted()
      if (stopped !== null || isBroken || !(await reserveSpending(op, jobId, held))) throw new BudgetSpent()
      try {
        return await provider.ask(request, signal)
      } catch (error) {
        if (error instanceof ProviderError && !error.mayBeBilled) await releaseReservation(op, jobId, held)
        throw error
      }
    })
  }

  /** Collects paid samples for these ordinals in one call. Returns how many arrived. */
  async function buyNew(
    question: string,
    ordinals: readonly number[],
    request: SampleRequest,
    requestHash: Sha256,
  ): Promise<number> {
    const wanted = { ...request, n: ordinals.length }
    const held = worstCaseMicros(prices, wanted)
    if (held === null) return 0
    let attempts = 0
    try {
      const reply = await withRetries(
        async (attempt) => {
          attempts = attempt
          return await callOnce(wanted, held)
        },
        teacher.retry,
        teacher.clock,
        signal,
      )
      await keep(toSamples(reply, held, prices, { question, ordinals, requestHash, attempts }), held)
      return reply.samples.length
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      if (error.failure !== 'refused' && error.failure !== 'invalid_response') throw error
      // Not asked again, since the answer would be the same; its possible cost counts as charged.
      await keep(toRefusals(error, held, identity.model, { question, ordinals, requestHash, attempts }), held)
      return ordinals.length
    }
  }

  async function buyMissing(question: string, count: number, request: SampleRequest): Promise<void> {
    const requestHash = hashRequest(provider.identity, request)
    const missing = Array.from({ length: count }, (_, ordinal) => ordinal).filter(
      (ordinal) => !owned.has(keyOf(question, ordinal)),
    )
    for (const ordinal of missing) {
      const earlier = await findEarlierSample(op, { requestHash, ordinal })
      if (earlier === null) continue
      await keep([{ ...earlier, question, ordinal, costUsdMicros: 0, attempts: 0, isReused: true, requestHash }], 0)
    }
    let left = missing.filter((ordinal) => !owned.has(keyOf(question, ordinal)))
    for (let empty = 0; left.length > 0 && empty < EMPTY_CALLS;) {
      const got = await buyNew(question, left.slice(0, perCall), request, requestHash)
      if (got === 0) empty++
      left = left.filter((ordinal) => !owned.has(keyOf(question, ordinal)))
    }
  }

  return {
    async buy(question, count, request) {
      try {
        if (stopped === null && !isBroken) await buyMissing(question, count, request)
      } catch (error) {
        if (signal.aborted) throw error
        if (error instanceof BudgetSpent) stopped ??= 'budget_exhausted'
        else if (error instanceof ProviderError && (!error.isTransient || options.isLastAttempt)) {
          stopped ??= 'provider_failed'
          failure ??= error.code
        } else {
          isBroken = true
          throw error
        }
      }
      return Array.from({ length: count }, (_, ordinal) => owned.get(keyOf(question, ordinal))).filter(
        (sample) => sample !== undefined,
      )
    },
    ending: () => ({ stopped, failure }),
  }
}

function keyOf(question: string, ordinal: number): string {
  return `${question}#${ordinal}`
}

/** Two requests with one hash are the same question to the same model. */
function hashRequest(
  provider: string,
  { messages, temperature, maxTokens, schema, wantsJson, stop, topP, seed }: SampleRequest,
): Sha256 {
  const turns: Json = messages.map(({ role, text }) => ({ role, text }))
  return hashJson({
    provider,
    turns,
    temperature,
    max_tokens: maxTokens,
    schema: schema === undefined ? null : schema.schema,
    json: wantsJson === true,
    ...(stop !== undefined && { stop: [...stop] }),
    ...(topP !== undefined && { top_p: topP }),
    ...(seed !== undefined && { seed }),
  })
}

interface CallFacts {
  readonly question: string
  readonly ordinals: readonly number[]
  readonly requestHash: Sha256
  readonly attempts: number
}

/** Returns the share of a whole at this index: integers that add up to the whole. */
function shareOut(total: number, shares: number, index: number): number {
  return Math.floor((total * (index + 1)) / shares) - Math.floor((total * index) / shares)
}

function toSamples(
  reply: ProviderReply,
  held: number,
  prices: KnownPrices,
  call: CallFacts,
): readonly NewTeacherSample[] {
  const { usage } = reply
  const cost = usage === null ? held : costMicros(prices, usage)
  const samples = reply.samples.slice(0, call.ordinals.length)
  return samples.map(({ text, finish }, i) => ({
    question: call.question,
    ordinal: call.ordinals[i] ?? 0,
    text,
    finish,
    model: reply.model,
    inputTokens: shareOut(usage?.inputTokens ?? 0, samples.length, i),
    cachedTokens: shareOut(usage?.cachedTokens ?? 0, samples.length, i),
    outputTokens: shareOut(usage?.outputTokens ?? 0, samples.length, i),
    costUsdMicros: shareOut(cost, samples.length, i),
    latencyMs: reply.latencyMs,
    attempts: call.attempts,
    isReused: false,
    requestHash: call.requestHash,
  }))
}

function toRefusals(error: ProviderError, held: number, model: string, call: CallFacts): readonly NewTeacherSample[] {
  return call.ordinals.map((ordinal, i) => ({
    question: call.question,
    ordinal,
    text: '',
    finish: error.failure === 'refused' ? 'refusal' : 'other',
    model,
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    costUsdMicros: shareOut(held, call.ordinals.length, i),
    latencyMs: 0,
    attempts: call.attempts,
    isReused: false,
    requestHash: call.requestHash,
  }))
}
