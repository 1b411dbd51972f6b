import type { Progress } from '../../calls/relay.ts'
import type { Placeholders } from '../../gate/privacy/placeholders.ts'
import { restoreJson } from '../../gate/privacy/restore-json.ts'
import { HeldText } from '../../gate/privacy/restore-stream.ts'
import { ProviderError } from '../../providers/provider-error.ts'
import type { AnswerGatherer } from '../../record/gather-answer.ts'
import { isJsonObject, type JsonObject } from '../../../kernel/json/json.ts'
import { readError } from '../dialects/chat-completions/errors.ts'
import { sentEvent, type SentEvent } from '../exchange/stream.ts'
import { parseJson, withoutKey } from '../upstream/refusal.ts'
import { readSentEvents } from '../upstream/sent-events.ts'
import type { UpstreamReply } from '../upstream/upstream.ts'
import type { AudioMeter } from './meter.ts'
import { readAudioUsage } from './transcript.ts'

/**
 * Passes the events of a transcript or of speech on as they come, and follows what they say. Such a stream is whole when its
 * event `….done` came. Throws `ProviderError`: of the provider, and `interrupted` for one that ends early.
 */
export async function* relayAudioEvents(
  reply: UpstreamReply,
  apiKey: string,
  followed: {
    readonly progress: Progress
    readonly gatherer: AnswerGatherer
    readonly placeholders: Placeholders
    readonly meter: AudioMeter
  },
): AsyncGenerator<string> {
  const { progress, placeholders } = followed
  const held = new HeldText(placeholders, false)
  for await (const batch of readSentEvents(reply.chunks())) {
    let text = ''
    for (const sent of batch) {
      const event = parseJson(sent.data)
      if (!isJsonObject(event)) {
        text += sentEvent(sent)
        continue
      }
      if (isJsonObject(event['error'] ?? null)) throw errorOf(event, apiKey)
      follow(event, followed)
      const passed = placeholders.size === 0 ? [sent] : restored(sent, event, { held, placeholders })
      for (const one of passed) text += sentEvent(one)
    }
    if (text !== '') yield text
  }
  if (!progress.isWhole) throw new ProviderError('interrupted', "the provider's stream ended before the answer did")
}

function follow(
  event: JsonObject,
  { progress, gatherer, meter }: Pick<Parameters<typeof relayAudioEvents>[2], 'progress' | 'gatherer' | 'meter'>,
): void {
  const { type, delta, audio, usage } = event
  if (typeof delta === 'string' || typeof audio === 'string') progress.contentAt ??= performance.now()
  if (typeof delta === 'string' && type === 'transcript.text.delta') {
    progress.outputChars += delta.length
    gatherer.take({ kind: 'text', text: delta })
  }
  if (typeof audio === 'string' && type === 'speech.audio.delta') meter.take(Buffer.from(audio, 'base64'))
  if (type === 'transcript.text.done' || type === 'speech.audio.done') {
    progress.isWhole = true
    progress.usage = readAudioUsage(usage)
    gatherer.take({ kind: 'finish', finish: 'stop' })
  }
}

/** An event with the caller's own values. The beginning of a placeholder waits for the next part of its text, or the end. */
function restored(
  sent: SentEvent,
  event: JsonObject,
  { held, placeholders }: { readonly held: HeldText; readonly placeholders: Placeholders },
): readonly SentEvent[] {
  const { type, delta } = event
  if (type === 'transcript.text.delta' && typeof delta === 'string') {
    return [{ ...sent, data: JSON.stringify({ ...event, delta: held.push(delta) }) }]
  }
  const rest = held.end()
  const last = rest === '' ? [] : [{ ...sent, data: JSON.stringify({ type: 'transcript.text.delta', delta: rest }) }]
  const whole = sent.data.includes('VAR_') ? { ...sent, data: JSON.stringify(restoreJson(event, placeholders)) } : sent
  return [...last, whole]
}

function errorOf(event: JsonObject, apiKey: string): ProviderError {
  const { failure, message, code } = readError(500, event)
  return new ProviderError(failure, `the provider ended the answer: ${withoutKey(message, apiKey)}`, { word: code })
}
