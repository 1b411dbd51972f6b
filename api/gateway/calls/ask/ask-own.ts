import { charsIn } from '../../../../core/gateway/calls/estimate.ts'
import { usageOf, type ModelAnswer } from '../../../../core/gateway/protocol/exchange/answer.ts'
import type { Attempt } from '../../../../core/gateway/record/attempt.ts'
import { ownInput } from '../../../../core/gateway/routing/own-input.ts'
import type { PassedOver } from '../../../../core/gateway/record/attempt.ts'
import { OWN_PROVIDER } from '../../../../core/gateway/routing/route-facts.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import type { AdmittedCall } from '../../gate/admit.ts'
import { replyWith } from '../reply-with.ts'
import type { InferenceReply } from '../start-stream.ts'

/** An own artifact whose answer was not used. */
export interface OwnAttempt {
  readonly attempt: Attempt
  readonly confidence: number | null
}

type AskedOwn =
  | { readonly kind: 'answered'; readonly reply: InferenceReply }
  | { readonly kind: 'passed'; readonly attempt: OwnAttempt | null }

/** Characters of a token, by the rule of thumb for English text: what the same call would have cost elsewhere. */
const CHARS_PER_TOKEN = 4

/**
 * Asks the artifact that the namespace put first, where it has one and the request is one that an artifact answers. Its
 * answer is used when it does not abstain, the input is like those that it was evaluated on, and its calibrated
 * confidence reaches the namespace's threshold; a recipe without a confidence vouches for its answers by its checks.
 */
export async function askOwn(call: AdmittedCall): Promise<AskedOwn> {
  const { artifact_id: artifactId, confidence_threshold: threshold } = call.settings
  const input = artifactId === null || call.plain !== undefined ? null : ownInput(call.dialect, call.body)
  if (artifactId === null || input === null) return { kind: 'passed', attempt: null }
  const startedAt = performance.now()
  const passed = (failure: PassedOver, confidence: number | null): AskedOwn => {
    const ms = Math.round(performance.now() - startedAt)
    const attempt = { provider: OWN_PROVIDER, model: artifactId, failure, status: null, ms }
    return { kind: 'passed', attempt: { attempt, confidence } }
  }
  try {
    const caller = { tenantId: call.facts.tenantId, scopes: call.principal.scopes }
    const answer = await call.services.ownArtifacts.run(caller, artifactId, input, call.hangUp)
    const { output, abstained, confidence, isUnlike } = answer
    if (isUnlike) return passed('class_mismatch', confidence)
    if (abstained || (confidence !== null && confidence < threshold)) return passed('low_confidence', confidence)
    const text = typeof output === 'string' ? output : JSON.stringify(output)
    const ms = Math.round(performance.now() - startedAt)
    const attempt = { provider: OWN_PROVIDER, model: artifactId, failure: null, status: null, ms }
    const target = { provider: { id: OWN_PROVIDER, needsKey: false }, model: artifactId }
    const reply = await replyWith(call, ownAnswer(call, text, artifactId), {
      target,
      own: { artifactId, confidence, cache: 'off' },
      attempts: [attempt],
      // Counted by characters: no provider counted them.
      usage: null,
      cacheKey: null,
    })
    return { kind: 'answered', reply }
  } catch (error) {
    if (call.hangUp().aborted || !(error instanceof DomainError)) throw error
    return passed(error.code === 'recipe_failed' ? 'class_mismatch' : 'artifact_unavailable', null)
  }
}

function ownAnswer({ body }: AdmittedCall, text: string, artifactId: string): ModelAnswer {
  const tokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN)
  const usage = usageOf({ inputTokens: tokens(charsIn(body)), outputTokens: tokens(text.length) })
  return { id: '', model: artifactId, usage, choices: [{ parts: [{ kind: 'text', text }], finish: 'stop' }] }
}
