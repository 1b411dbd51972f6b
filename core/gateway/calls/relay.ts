import { isUsageChunk } from '../protocol/dialects/chat-completions/stream.ts'
import type { GivenIds } from '../protocol/dialects/responses/references.ts'
import type { AnswerFacts, CallerDialect } from '../protocol/dialects/dialect.ts'
import type { Usage } from '../protocol/exchange/answer.ts'
import type { Placeholders } from '../gate/privacy/placeholders.ts'
import { restoreEvents, restoreSent } from '../gate/privacy/restore-stream.ts'
import type { AnswerGatherer } from '../record/gather-answer.ts'
import { isContent, sentEvent, type StreamEvent } from '../protocol/exchange/stream.ts'
import { ProviderError } from '../providers/provider-error.ts'
import { withoutKey } from '../protocol/upstream/refusal.ts'
import { readSentEvents } from '../protocol/upstream/sent-events.ts'
import type { UpstreamReply } from '../protocol/upstream/upstream.ts'
import type { PreparedCall } from './prepare.ts'

/** The part of a streamed answer that has arrived. */
export interface Progress {
  usage: Usage | null
  /** Characters of texts, reasoning and arguments. */
  outputChars: number
  /** When the first part of the answer came, by `performance.now()`; null until then. */
  contentAt: number | null
  isWhole: boolean
  /** Ids by which the provider keeps the answer; null until they come. */
  ids: GivenIds | null
}

/** Nothing yet. */
export function newProgress(): Progress {
  return { usage: null, outputChars: 0, contentAt: null, isWhole: false, ids: null }
}

/**
 * Passes a streamed answer on in the caller's dialect, each event as soon as it is complete and as fast as it is taken.
 * A stream counts as whole when its protocol ends it, or when it ends after a reason. Throws `ProviderError`: of the
 * provider, `interrupted` for one that ends early, `invalid_response` for what is none.
 */
export async function* relayStream(
  reply: UpstreamReply,
  { spoken, request, apiKey }: Pick<PreparedCall, 'spoken' | 'request' | 'apiKey'>,
  caller: CallerDialect,
  facts: AnswerFacts,
  {
    progress,
    gatherer,
    placeholders,
    keep,
  }: {
    readonly progress: Progress
    readonly gatherer: AnswerGatherer
    readonly placeholders: Placeholders
    /** Remembers a whole answer, before its end is sent; returns whether it is kept for later calls. */
    readonly keep: () => Promise<boolean>
  },
): AsyncGenerator<string> {
  const read = spoken.readStream(request)
  // An answer in the caller's own dialect is passed on as it is.
  const writer = request === null ? null : caller.writeStream(facts)
  // The caller gets its values back; what is gathered for the record keeps the placeholders.
  const restored = restoreEvents(placeholders)
  const restoredSent = restoreSent(caller.name, placeholders)
  let isFinished = false
  let isEnded = false
  for await (const batch of readSentEvents(reply.chunks())) {
    let text = ''
    for (const sent of batch) {
      for (const event of read(sent)) {
        if (event.kind === 'error') throw errorOf(event.error, apiKey)
        isFinished ||= event.kind === 'finish'
        isEnded ||= event.kind === 'end'
        follow(event, progress)
        gatherer.take(event)
        if (writer) for (const one of restored(event)) text += writer.write(one)
      }
      if (!writer && (facts.includesUsage || caller.name !== 'chat-completions' || !isUsageChunk(sent.data))) {
        for (const one of restoredSent(sent)) text += sentEvent(one)
      }
    }
    if (isEnded) {
      progress.isWhole = true
      const isKept = await keep()
      yield text + (writer?.end(isKept) ?? '')
      return
    }
    if (text !== '') yield text
  }
  if (!isFinished) throw new ProviderError('interrupted', "the provider's stream ended before the answer did")
  progress.isWhole = true
  const isKept = await keep()
  if (writer) yield writer.end(isKept)
  else if (caller.name === 'chat-completions') yield sentEvent({ data: '[DONE]' })
}

function errorOf(error: Extract<StreamEvent, { readonly kind: 'error' }>['error'], apiKey: string): ProviderError {
  const { failure, message, code, retryAfterS } = error
  return new ProviderError(failure, `the provider ended the answer: ${withoutKey(message, apiKey)}`, {
    retryAfterS,
    word: code,
  })
}

function follow(event: StreamEvent, progress: Progress): void {
  if (event.kind === 'usage') progress.usage = event.usage
  if (event.kind === 'finish' && event.ids !== undefined) progress.ids = event.ids
  if (isContent(event)) progress.contentAt ??= performance.now()
  if (event.kind === 'text' || event.kind === 'thinking' || event.kind === 'arguments') {
    progress.outputChars += event.text.length
  }
}
