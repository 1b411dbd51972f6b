import type { PreparedCall } from '../../../../core/gateway/calls/prepare.ts'
import { newProgress } from '../../../../core/gateway/calls/relay.ts'
import { restoreJson } from '../../../../core/gateway/gate/privacy/restore-json.ts'
import { meterAudio } from '../../../../core/gateway/protocol/audio/meter.ts'
import { relayAudioEvents } from '../../../../core/gateway/protocol/audio/relay-events.ts'
import {
  readTranscript,
  requireSound,
  requireTranscript,
  transcriptAnswer,
} from '../../../../core/gateway/protocol/audio/transcript.ts'
import { parseJson } from '../../../../core/gateway/protocol/upstream/refusal.ts'
import type { UpstreamReply } from '../../../../core/gateway/protocol/upstream/upstream.ts'
import { gatherAnswer } from '../../../../core/gateway/record/gather-answer.ts'
import type { ReplyHeaders } from '../../../kernel/route.ts'
import type { AdmittedCall } from '../../gate/admit.ts'
import { concludeCall, type Ended } from '../conclude.ts'
import { startStream, type InferenceReply } from '../start-stream.ts'
import { streamBytes } from '../stream-bytes.ts'

/** A provider that has begun to answer a call of sound. */
interface AnsweredAudio {
  readonly call: AdmittedCall
  readonly prepared: PreparedCall
  readonly reply: UpstreamReply
  readonly answered: Pick<
    Ended,
    'target' | 'own' | 'cacheKey' | 'status' | 'attempts' | 'inputChars' | 'sent' | 'unanswered'
  >
  readonly headers: ReplyHeaders
  readonly explain: (error: unknown) => unknown
  readonly left: AbortSignal
  readonly hasNext: boolean
}

/** Passes the answer of a call of sound on, with the provider's media type. Throws `ProviderError` for what is no answer. */
export async function answerAudio(given: AnsweredAudio): Promise<InferenceReply> {
  const { call, reply } = given
  const isEvents = /^text\/event-stream\b/i.test(reply.headers['content-type'] ?? '')
  if (isEvents) return await passEvents(given)
  try {
    // A provider that does not stream answers a call for a stream whole, as OpenAI does for whisper-1.
    if (call.plain === 'speech') return await streamBytes({ ...given, mediaType: requireSound(reply.headers) })
    return await passTranscript(given, requireTranscript(reply.headers))
  } catch (error) {
    reply.cancel()
    throw error
  }
}

async function passEvents({ call, prepared, reply, ...more }: AnsweredAudio): Promise<InferenceReply> {
  const progress = newProgress()
  const gatherer = gatherAnswer()
  const meter = meterAudio()
  const { placeholders } = call
  const texts = relayAudioEvents(reply, prepared.apiKey, { progress, gatherer, placeholders, meter })
  return await startStream({
    call,
    reply,
    texts,
    progress,
    gatherer,
    ...(call.plain === 'speech' && { meter }),
    ...more,
  })
}

async function passTranscript(
  { call, reply, answered, headers, left }: AnsweredAudio,
  mediaType: string,
): Promise<InferenceReply> {
  const { placeholders } = call
  const text = await reply.text()
  const read = readTranscript(mediaType, text)
  const bytes = placeholders.size > 0 && text.includes('VAR_') ? restoredText(mediaType, text) : text
  const concluded = await concludeCall(call, {
    ...answered,
    outcome: left.aborted ? 'left' : 'whole',
    isWhole: true,
    errorCode: null,
    usage: read.usage,
    outputChars: read.text.length,
    contentAt: performance.now(),
    answer: transcriptAnswer(read, answered.target.model),
    output: { bytes },
  })
  return {
    status: 200,
    over: Promise.resolve(),
    raw: { kind: 'bytes', bytes: concluded.bytes },
    headers: { ...headers, ...concluded.headers, 'Content-Type': mediaType },
  }

  function restoredText(type: string, given: string): string {
    if (!/^application\/json/i.test(type)) return placeholders.restore(given)
    return JSON.stringify(restoreJson(parseJson(given), placeholders))
  }
}
