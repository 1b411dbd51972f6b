import { checkedBases } from '../../../core/compile/runtime/check-weights.ts'
import { loadArchive } from '../../../core/compile/runtime/load-archive.ts'
import { startRecipe } from '../../../core/compile/runtime/start-recipe.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import type { InferenceRequest } from '../../../core/learn/evals/inference/inference.ts'
import type { CallOnce } from '../../../core/learn/evals/inference/measure.ts'
import type { OpenGenerator } from '../../../core/model/generation/generators.ts'
import { valueText } from '../../../core/model/training/prompt.ts'
import { readArchive } from '../../../db/compile/artifacts/read-archive.ts'
import { plainOrChat } from '../bakeoff/encode-prompt.ts'
import { operationOf, type MeasurementDeps, type MeasurementRef } from './deps.ts'

/**
 * Opens the target of a measurement for the time of `work`. A call that fails is an outcome; one whose signal is aborted throws. Throws
 * `not_found`, `artifact_revoked`, `artifact_expired`, `invalid_archive` and `unknown_base_model`.
 */
export async function withCalls<T>(
  deps: MeasurementDeps,
  ref: MeasurementRef,
  request: InferenceRequest,
  signal: AbortSignal,
  work: (call: CallOnce) => Promise<T>,
): Promise<T> {
  const { target, prompts } = request
  const promptAt = (place: number): Json => prompts[place % prompts.length] ?? null
  if (target.kind === 'base') {
    return await deps.generators.use(target.base, async (open) => {
      const generate = generateOn(open, request.maxTokens, signal)
      return await work(outcomes(signal, async (place) => await generate(promptAt(place))))
    })
  }
  const { recipe, guard } = await loadArchive(await readArchive(operationOf(deps, ref), target.artifactId))
  const runner = startRecipe(recipe, checkedBases(deps.generators))
  return await work(
    outcomes(signal, async (place) => {
      const input = promptAt(place)
      const { result, usage } = await runner.run(input, { signal })
      // As `/v1/run` answers: its checks are a part of the call.
      guard(input, result)
      return {
        firstTokenMs: usage?.firstTokenMs ?? null,
        tokensIn: usage?.promptTokens ?? null,
        tokensOut: usage?.newTokens ?? null,
      }
    }),
  )
}

type Answered = Pick<Awaited<ReturnType<CallOnce>>, 'firstTokenMs' | 'tokensIn' | 'tokensOut'>

function generateOn({ base, generator }: OpenGenerator, maxNewTokens: number, signal: AbortSignal) {
  const encode = plainOrChat(base)
  return async (prompt: Json): Promise<Answered> => {
    const request = { promptIds: encode(valueText(prompt)), options: { maxNewTokens }, signal }
    const { firstTokenMs, promptTokens, newTokens } = await generator.generate(request)
    return { firstTokenMs, tokensIn: promptTokens, tokensOut: newTokens }
  }
}

function outcomes(signal: AbortSignal, ask: (place: number) => Promise<Answered>): CallOnce {
  return async (place) => {
    try {
      return { ...(await ask(place)), errorCode: null }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof DomainError)) throw error
      return { firstTokenMs: null, tokensIn: null, tokensOut: null, errorCode: error.code }
    }
  }
}
