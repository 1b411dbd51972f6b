import { MODEL_ERRORS } from '../../../model/errors.ts'
import type { OpenedBase } from '../../../model/files/base-model.ts'
import type { AdapterRef, Generator } from '../../../model/generation/generator.ts'
import type { EvalRequest, PreparedRow } from '../prompts/prepared.ts'
import type { Likelihood } from '../scoring/responses.ts'
import type { TaskConfig } from '../task/task-config.ts'
import type { EvalTarget, RowAnswer } from './eval-target.ts'
import { beforeStop, seedOf, settingsOf } from './generation-settings.ts'

/** A base that is open here, perhaps with an adapter. */
export interface LocalModel {
  readonly base: Pick<OpenedBase, 'model' | 'tokenizer'>
  readonly generator: Generator
  readonly adapter: AdapterRef | undefined
  readonly seed: number
}

/** A prompt and a continuation in tokens. */
interface TokenPair {
  readonly prompt: readonly number[]
  readonly continuation: readonly number[]
  readonly cut: number
}

/**
 * Returns the target that asks a base as lm-evaluation-harness 0.4.13 asks a model of transformers (`lm_eval/api/model.py`,
 * `lm_eval/models/huggingface.py`): the same tokens, the same windows, prompts cut from the left. Options of one prompt share its keys
 * and values.
 */
export function localModel(local: LocalModel): EvalTarget {
  return {
    async answer(task, row, signal) {
      const [first] = row.requests
      if (first?.type === 'generate_until') return await generate(local, { task, row, context: first.context }, signal)
      if (first?.type === 'loglikelihood_rolling') return await roll(local, first.text, signal)
      const pairs = row.requests.flatMap((request) =>
        request.type === 'loglikelihood' ? [pairOf(local, request)] : [],
      )
      const likelihoods = await scorePairs(local, pairs, signal)
      return { responses: { type: 'likelihoods', likelihoods }, cutTokens: cutOf(pairs) }
    },
  }
}

function cutOf(pairs: readonly TokenPair[]): number {
  return pairs.reduce((sum, { cut }) => sum + cut, 0)
}

/** The token that stands before a text without a prompt: the one that begins texts, else that which ends them. */
function prefixToken({ base }: LocalModel): number {
  const { bosTokenId, eosTokenIds } = base.model.config
  const token = bosTokenId ?? eosTokenIds[0]
  if (token === undefined)
    throw MODEL_ERRORS.invalid_model(`${base.model.name} names no token that begins or ends a text`)
  return token
}

function pairOf(local: LocalModel, request: Extract<EvalRequest, { readonly type: 'loglikelihood' }>): TokenPair {
  const { tokenizer, model } = local.base
  const limit = model.config.contextLength
  if (request.context === '') {
    const ids = tokenizer.encode(request.continuation)
    const prefix = prefixToken(local)
    return ids[0] === prefix ? fitted(ids.slice(0, 1), ids.slice(1), limit) : fitted([prefix], ids, limit)
  }
  // White space at the end of a prompt belongs to the continuation, as most vocabularies cut words.
  const context = request.context.trimEnd()
  const continuation = request.context.slice(context.length) + request.continuation
  const whole = tokenizer.encode(context + continuation, { addSpecial: true })
  const prompt = context === '' ? [] : tokenizer.encode(context, { addSpecial: true })
  return fitted(prompt, whole.slice(prompt.length), limit)
}

/** Cuts the prompt from the left, so that all tokens but the last fit into the context. */
function fitted(prompt: readonly number[], continuation: readonly number[], limit: number): TokenPair {
  const cut = Math.max(0, prompt.length + continuation.length - 1 - limit)
  if (cut > 0 && cut >= prompt.length) {
    throw MODEL_ERRORS.context_exceeded(`a continuation has ${continuation.length} tokens, and the context ${limit}`, {
      details: { tokens: continuation.length, limit },
    })
  }
  return { prompt: prompt.slice(cut), continuation, cut }
}

/** Scores pairs; those with one prompt are one request. */
async function scorePairs(
  { generator, adapter }: LocalModel,
  pairs: readonly TokenPair[],
  signal: AbortSignal,
): Promise<readonly Likelihood[]> {
  const byPrompt = Map.groupBy(pairs.entries(), ([, { prompt }]) => prompt.join(' '))
  const scores: Likelihood[] = pairs.map(() => ({ logProb: 0, isGreedy: true }))
  const asked = [...byPrompt.values()].map(async (group) => {
    const [first] = group
    // A continuation without tokens is certain.
    const full = group.filter(([, { continuation }]) => continuation.length > 0)
    if (first === undefined || full.length === 0) return
    const answers = await generator.scoreContinuations({
      promptIds: first[1].prompt,
      continuations: full.map(([, { continuation }]) => continuation),
      adapter,
      signal,
    })
    for (const [index, [place]] of full.entries()) {
      const answer = answers[index]
      if (answer !== undefined) scores[place] = answer
    }
  })
  await Promise.all(asked)
  return scores
}

/** The log-probability of a text longer than the context: each window predicts what the one before left. */
async function roll(local: LocalModel, text: string, signal: AbortSignal): Promise<RowAnswer> {
  const ids = local.base.tokenizer.encode(text, { addSpecial: true })
  const limit = local.base.model.config.contextLength
  const windows: TokenPair[] = []
  for (let done = 0; done < ids.length;) {
    if (done === 0) {
      const continuation = ids.slice(0, limit)
      windows.push({ prompt: [prefixToken(local)], continuation, cut: 0 })
      done += continuation.length
      continue
    }
    const end = Math.min(done + limit, ids.length)
    // The last window is as long as the others: what it predicts has more before it.
    windows.push({ prompt: ids.slice(end - limit - 1, done), continuation: ids.slice(done, end), cut: 0 })
    done = end
  }
  const scores = await scorePairs(local, windows, signal)
  const logProb = scores.reduce((sum, score) => sum + score.logProb, 0)
  return { responses: { type: 'rolling', logProb }, cutTokens: 0 }
}

async function generate(
  local: LocalModel,
  { task, row, context }: { readonly task: TaskConfig; readonly row: PreparedRow; readonly context: string },
  signal: AbortSignal,
): Promise<RowAnswer> {
  const { base, generator, adapter, seed } = local
  const settings = settingsOf(task)
  const limit = base.model.config.contextLength
  const room = limit - settings.maxTokens
  if (room <= 0) {
    throw MODEL_ERRORS.context_exceeded(`max_gen_toks is ${settings.maxTokens}, and the context ${limit} tokens`, {
      details: { tokens: settings.maxTokens, limit },
    })
  }
  const ids = base.tokenizer.encode(context, { addSpecial: true })
  const promptIds = ids.length === 0 ? [prefixToken(local)] : ids.slice(-room)
  const { maxTokens: maxNewTokens, temperature, topK, topP, until } = settings
  const once = async (repeat: number): Promise<string> => {
    const options = { maxNewTokens, temperature, topK, topP, stop: until.slice(0, 16), seed: seedOf(seed, row, repeat) }
    const { text } = await generator.generate({ promptIds, adapter, options, signal })
    return beforeStop(text, until)
  }
  // The likeliest answer is the same each time.
  const texts =
    temperature === 0
      ? Array.from(
          { length: task.repeats },
          (
            (text) => () =>
              text
          )(await once(0)),
        )
      : await Promise.all(Array.from({ length: task.repeats }, (_, repeat) => once(repeat)))
  return { responses: { type: 'texts', texts }, cutTokens: Math.max(0, ids.length - promptIds.length) }
}
