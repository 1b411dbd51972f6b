import { charsOfBody } from '../../../../core/gateway/calls/estimate.ts'
import { usageOf, type ModelAnswer } from '../../../../core/gateway/protocol/exchange/answer.ts'
import type { Attempt } from '../../../../core/gateway/record/attempt.ts'
import { ownQuestion } from '../../../../core/gateway/routing/own-input.ts'
import type { PassedOver } from '../../../../core/gateway/record/attempt.ts'
import { OWN_PROVIDER, type RouteFacts } from '../../../../core/gateway/routing/route-facts.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import type { AdmittedCall } from '../../gate/admit.ts'
import { leftOutHeaders } from '../left-out-headers.ts'
import { replyWith } from '../reply-with.ts'
import type { InferenceReply } from '../start-stream.ts'

/** An own artifact whose answer was not used. */
export interface OwnAttempt {
  readonly attempt: Attempt
  readonly confidence: number | null
  /** See `RouteFacts.conceptMatch`. */
  readonly conceptMatch?: number
}

/** The part of an own artifact in the route of a call that something else answers. */
export function ownFacts(own: OwnAttempt | null): Pick<RouteFacts, 'confidence' | 'artifactId' | 'conceptMatch'> {
  const match = own?.conceptMatch
  return { confidence: own?.confidence ?? null, artifactId: null, ...(match !== undefined && { conceptMatch: match }) }
}

type AskedOwn =
  | { readonly kind: 'answered'; readonly reply: InferenceReply }
  | { readonly kind: 'passed'; readonly attempt: OwnAttempt | null }

/** Characters of a token, by the rule of thumb for English text: what the same call would have cost elsewhere. */
const CHARS_PER_TOKEN = 4

/** Name of the attempt to find an artifact where none was found. */
const ANY_CONCEPT = 'concepts'

/**
 * Asks the artifact that the namespace put first, or with `route_mode: concepts` the one whose concept the request is for, where
 * the request is one that an artifact answers. Its answer is used when it does not abstain, the input is like those that it was
 * evaluated on, and its calibrated confidence reaches the namespace's threshold; a recipe without a confidence vouches for
 * its answers by its checks. The probability of the concept has to reach the threshold too. Whatever is decided is an attempt.
 */
export async function askOwn(call: AdmittedCall): Promise<AskedOwn> {
  const { artifact_id: named, confidence_threshold: threshold, route_mode: mode } = call.settings
  if ((named === null && mode !== 'concepts') || call.plain !== undefined) return { kind: 'passed', attempt: null }
  const startedAt = performance.now()
  const caller = { tenantId: call.facts.tenantId, scopes: call.principal.scopes }
  let asked: Pick<OwnAttempt, 'conceptMatch'> & { readonly model: string } = { model: named ?? ANY_CONCEPT }
  const attemptOf = (failure: PassedOver | null): Attempt => {
    const ms = Math.round(performance.now() - startedAt)
    return { provider: OWN_PROVIDER, model: asked.model, failure, status: null, ms }
  }
  const passed = (failure: PassedOver, confidence: number | null): AskedOwn => {
    const { model: _model, ...match } = asked
    return { kind: 'passed', attempt: { attempt: attemptOf(failure), confidence, ...match } }
  }
  const question = ownQuestion(call.dialect, call.body)
  if (question === null) return passed('unsupported_request', null)
  try {
    if (named === null) {
      const match = await call.services.ownArtifacts.match(caller, question)
      if (match !== null) asked = { model: match.artifactId, conceptMatch: rounded(match.probability) }
      if (match === null || match.probability < threshold) return passed('no_concept', null)
    }
    const { model: artifactId, ...match } = asked
    const answer = await call.services.ownArtifacts.run(caller, artifactId, question.input, call.hangUp)
    const { output, abstained, confidence, isUnlike } = answer
    if (isUnlike) return passed('class_mismatch', confidence)
    if (abstained || (confidence !== null && confidence < threshold)) return passed('low_confidence', confidence)
    const text = typeof output === 'string' ? output : JSON.stringify(output)
    const reply = await replyWith(call, ownAnswer(call, text, artifactId), {
      target: { provider: { id: OWN_PROVIDER, needsKey: false }, model: artifactId },
      own: { artifactId, confidence, cache: 'off', ...match },
      attempts: [attemptOf(null)],
      // Counted by characters: no provider counted them.
      usage: null,
      cacheKey: null,
    })
    const headers = { ...reply.headers, ...leftOutHeaders(question.leftOut) }
    return { kind: 'answered', reply: { ...reply, headers } }
  } catch (error) {
    if (call.hangUp().aborted || !(error instanceof DomainError)) throw error
    return passed(error.code === 'recipe_failed' ? 'class_mismatch' : 'artifact_unavailable', null)
  }
}

/** Four decimals: a header and a receipt show it. */
function rounded(probability: number): number {
  return Math.round(probability * 10_000) / 10_000
}

function ownAnswer({ body }: AdmittedCall, text: string, artifactId: string): ModelAnswer {
  const tokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN)
  const usage = usageOf({ inputTokens: tokens(charsOfBody(body)), outputTokens: tokens(text.length) })
  return { id: '', model: artifactId, usage, choices: [{ parts: [{ kind: 'text', text }], finish: 'stop' }] }
}
