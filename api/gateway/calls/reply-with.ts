import { charsOfBody, charsOf } from '../../../core/gateway/calls/estimate.ts'
import { newProgress } from '../../../core/gateway/calls/relay.ts'
import type { ModelAnswer } from '../../../core/gateway/protocol/exchange/answer.ts'
import { eventsOf } from '../../../core/gateway/protocol/exchange/events-of.ts'
import { gatherAnswer } from '../../../core/gateway/record/gather-answer.ts'
import { restoreAnswer } from '../../../core/gateway/gate/privacy/redact-body.ts'
import type { AdmittedCall } from '../gate/admit.ts'
import { answerFacts } from './answer-facts.ts'
import { keepWritten } from './ask/keep-response.ts'
import { concludeCall, type Ended } from './conclude.ts'
import { startStream, type InferenceReply } from './start-stream.ts'

/** Replies with an answer that is already whole, in the caller's dialect, streamed where the caller asks for a stream. */
export async function replyWith(
  call: AdmittedCall,
  answer: ModelAnswer,
  given: Pick<Ended, 'target' | 'own' | 'attempts' | 'usage' | 'cacheKey'>,
): Promise<InferenceReply> {
  const { target, usage } = given
  const facts = answerFacts(call, target.model)
  const answered = { ...given, status: 200, inputChars: charsOfBody(call.body), sent: call.kept, unanswered: null }
  const headers = { 'x-svc-provider': target.provider.id, 'x-svc-model': encodeURI(target.model), ...call.gateHeaders }
  const restored = restoreAnswer(answer, call.placeholders)
  const outputChars = charsOf(answer)
  if (call.facts.isStreamed) {
    const gatherer = gatherAnswer()
    for (const event of eventsOf(answer)) gatherer.take(event)
    const events = eventsOf({ ...restored, id: facts.id, model: target.model })
    const progress = { ...newProgress(), usage, outputChars, contentAt: performance.now(), isWhole: true }
    const writer = call.dialect.writeStream(facts)
    const texts = (async function* () {
      const isKept = await keepWritten(call, answer, facts)
      yield events.map((event) => writer.write(event)).join('') + writer.end(isKept)
    })()
    return await startStream({
      call,
      answered,
      reply: { cancel: () => undefined },
      texts,
      progress,
      gatherer,
      headers,
      explain: (error) => error,
      left: call.hangUp(),
      hasNext: false,
    })
  }
  const isKept = await keepWritten(call, answer, facts)
  const bytes = JSON.stringify(call.dialect.writeAnswer(restored, { ...facts, isKept }))
  const concluded = await concludeCall(call, {
    ...answered,
    outcome: 'whole',
    isWhole: true,
    errorCode: null,
    outputChars,
    contentAt: performance.now(),
    answer,
    output: { bytes },
  })
  call.onAnswered?.(concluded)
  return {
    status: 200,
    over: Promise.resolve(),
    raw: { kind: 'bytes', bytes: concluded.bytes },
    headers: { ...headers, ...concluded.headers },
  }
}
