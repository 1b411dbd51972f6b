import { createHash } from 'node:crypto'
import { charsIn } from '../../../core/gateway/calls/estimate.ts'
import { newProgress, type Progress } from '../../../core/gateway/calls/relay.ts'
import type { CallerDialect } from '../../../core/gateway/dialects/dialect.ts'
import { usageOf, type ModelAnswer } from '../../../core/gateway/exchange/answer.ts'
import type { StreamEvent } from '../../../core/gateway/exchange/stream.ts'
import type { Attempt } from '../../../core/gateway/record/call-record.ts'
import { gatherAnswer } from '../../../core/gateway/record/gather-answer.ts'
import { ownInput } from '../../../core/gateway/routing/own-input.ts'
import { OWN_PROVIDER, type PassedOver } from '../../../core/gateway/routing/route-facts.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { GatedCall } from '../gate/pass-gate.ts'
import { answerFacts } from './answer-facts.ts'
import { concludeCall } from './conclude.ts'
import { startStream, type InferenceReply } from './start-stream.ts'

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
export async function askOwn(call: GatedCall): Promise<AskedOwn> {
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
    return { kind: 'answered', reply: await reply(call, text, { artifactId, attempt, confidence }) }
  } catch (error) {
    if (call.hangUp().aborted || !(error instanceof DomainError)) throw error
    return passed(error.code === 'recipe_failed' ? 'class_mismatch' : 'artifact_unavailable', null)
  }
}

async function reply(
  call: GatedCall,
  text: string,
  own: { readonly artifactId: string; readonly attempt: Attempt; readonly confidence: number | null },
): Promise<InferenceReply> {
  const { artifactId, attempt, confidence } = own
  const target = { provider: { id: OWN_PROVIDER, needsKey: false }, model: artifactId }
  const inputChars = charsIn(call.body)
  const tokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN)
  const usage = usageOf({ inputTokens: tokens(inputChars), outputTokens: tokens(text.length) })
  const facts = answerFacts(call, artifactId)
  const answered = {
    target,
    own: { artifactId, confidence, cache: 'off' as const },
    status: 200,
    attempts: [attempt],
    inputChars,
    sent: call.body,
  }
  const headers = { 'x-svc-provider': OWN_PROVIDER, 'x-svc-model': artifactId }
  if (call.facts.isStreamed) {
    const progress = newProgress()
    const gatherer = gatherAnswer()
    const events: readonly StreamEvent[] = [
      { kind: 'start', id: facts.id, model: artifactId },
      { kind: 'text', text },
      { kind: 'usage', usage },
      { kind: 'finish', finish: 'stop' },
      { kind: 'end' },
    ]
    for (const event of events) gatherer.take(event)
    const texts = written(call.dialect, facts, events, progress)
    const left = call.hangUp()
    return await startStream({
      call,
      answered,
      reply: { cancel: () => undefined },
      texts,
      progress,
      gatherer,
      headers,
      explain: (error) => error,
      left,
      hasNext: false,
    })
  }
  const answer: ModelAnswer = {
    id: facts.id,
    model: artifactId,
    usage,
    choices: [{ parts: [{ kind: 'text', text }], finish: 'stop' }],
  }
  const bytes = JSON.stringify(call.dialect.writeAnswer(answer, facts))
  const concluded = await concludeCall(call, {
    ...answered,
    outcome: 'whole',
    isWhole: true,
    errorCode: null,
    // Counted by characters: no provider counted them.
    usage: null,
    outputChars: text.length,
    contentAt: performance.now(),
    answer,
    outputHash: createHash('sha256').update(bytes).digest('hex'),
  })
  return {
    status: 200,
    over: Promise.resolve(),
    raw: { kind: 'bytes', bytes },
    headers: { ...headers, ...concluded.headers },
  }
}

async function* written(
  dialect: CallerDialect,
  facts: ReturnType<typeof answerFacts>,
  events: readonly StreamEvent[],
  progress: Progress,
): AsyncGenerator<string> {
  const writer = dialect.writeStream(facts)
  progress.contentAt = performance.now()
  progress.isWhole = true
  for (const event of events) if (event.kind === 'text') progress.outputChars += event.text.length
  yield events.map((event) => writer.write(event)).join('') + writer.end()
}
