import type { PreparedCall } from '../../../../core/gateway/calls/prepare.ts'
import { isAudioKind } from '../../../../core/gateway/calls/providers.ts'
import { readRefusal } from '../../../../core/gateway/protocol/upstream/refusal.ts'
import type { UpstreamReply } from '../../../../core/gateway/protocol/upstream/upstream.ts'
import { ProviderError } from '../../../../core/gateway/providers/provider-error.ts'
import { jsonParts } from '../../../../core/kernel/json/json-pieces.ts'
import type { AdmittedCall } from '../../gate/admit.ts'

/** Whether the provider that was asked last may bill the call although it gave no answer. */
export interface OpenBill {
  isOpen: boolean
}

interface Sending {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly bill: OpenBill
}

/** Sends a request, and again in the next shape where the provider refuses how it asks for a structured answer. Throws `ProviderError`. */
export async function sendInShape(call: AdmittedCall, prepared: PreparedCall, how: Sending): Promise<UpstreamReply> {
  try {
    return await sendCall(call, prepared, how)
  } catch (error) {
    const next = error instanceof ProviderError ? (prepared.relax?.(error) ?? null) : null
    if (next === null) throw error
    return await sendInShape(call, next, how)
  }
}

/** Sends a request once. Throws `ProviderError` for an answer that is not 2xx. */
async function sendCall(
  { services: { upstream }, isLarge, plain }: AdmittedCall,
  { url, headers, body, form, spoken, apiKey, isStreamed }: PreparedCall,
  { timeoutMs, signal, bill }: Sending,
): Promise<UpstreamReply> {
  const accept = isAudioKind(plain) ? '*/*' : isStreamed ? 'text/event-stream' : 'application/json'
  const sent = form ?? (isLarge ? await jsonParts(body) : JSON.stringify(body))
  const onSent = () => {
    bill.isOpen = true
  }
  const reply = await upstream.send({ url, headers: { accept, ...headers }, body: sent, timeoutMs, signal, onSent })
  if (reply.status >= 200 && reply.status <= 299) return reply
  const refusal = await readRefusal(reply, (status, text) => spoken.readError(status, text), apiKey)
  bill.isOpen = refusal.leavesCostOpen
  throw refusal
}

/** A provider that answers a stream with something else has not understood the call. */
export function requireEvents(reply: UpstreamReply): void {
  if (/^text\/event-stream\b/i.test(reply.headers['content-type'] ?? '')) return
  reply.cancel()
  throw new ProviderError('invalid_response', 'the provider answered with no stream of events', {
    status: reply.status,
  })
}
