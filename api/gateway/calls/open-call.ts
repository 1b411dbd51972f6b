import type { IncomingMessage } from 'node:http'
import type { PlainKind } from '../../../core/gateway/calls/providers.ts'
import type { Target } from '../../../core/gateway/calls/target.ts'
import type { CallerDialect } from '../../../core/gateway/protocol/dialects/dialect.ts'
import type { SentFile } from '../../../core/gateway/protocol/audio/write-form.ts'
import { namespaceAsked, retentionAsked, withoutOwnMembers } from '../../../core/gateway/record/asked.ts'
import type { CallFacts, CallRecord } from '../../../core/gateway/record/call-record.ts'
import type { AuditReceipt } from '../../../core/gateway/record/receipts/audit-receipt.ts'
import type { GivenPlaceholder } from '../../../core/gateway/gate/privacy/placeholders.ts'
import { newId, newTimedId } from '../../../core/kernel/ids.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { namespaceForNew } from '../../../db/kernel/namespaces/bounds.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { DEFAULT_NAMESPACE } from '../../../db/billing/usage/charged-to.ts'
import type { NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import type { GatewayServices } from '../services.ts'

/** A caller's call of a model. */
export interface InferenceCall {
  readonly services: GatewayServices
  readonly principal: Principal
  readonly requestId: string
  readonly request: IncomingMessage
  /** Returns a signal that is aborted when the caller disconnects. */
  readonly hangUp: () => AbortSignal
  /** The dialect of the caller; embeddings and moderations have one form, with the errors of chat completions. */
  readonly dialect: CallerDialect
  readonly plain?: PlainKind
  readonly body: JsonObject
  /** The sound that the call sends. */
  readonly file?: SentFile
  readonly target: Target
  /** The address of a caller without an account: its call is not counted, signed or captured. */
  readonly visitor?: string | undefined
  /** The caller's key at Anthropic, sent where Anthropic's SDK sends it. */
  readonly anthropicKey?: string | undefined
  /** Members that the answer has behind those of its dialect, where it is not streamed; none when absent. */
  readonly extend?: (record: Omit<CallRecord, 'outputHash'>) => JsonObject
  /** True for an answer that ends with its receipt, where it is not streamed. */
  readonly showsReceipt?: boolean
  /** Called once with the end of a call that is answered whole. */
  readonly onAnswered?: (facts: { readonly record: CallRecord; readonly receipt: AuditReceipt | null }) => void
  /** Settings that the call asks for in place of those of its namespace. */
  readonly wishes?: Pick<Partial<NamespaceSettings>, 'artifact_id' | 'confidence_threshold' | 'cache_mode'>
}

/** A call whose namespace, ids and retention are settled. */
export interface OpenCall extends InferenceCall {
  /** True for a body that takes longer than a turn of the event loop: it is worked on beside it, or in slices. */
  readonly isLarge: boolean
  readonly facts: CallFacts
  /** By `performance.now()`. */
  readonly startedAt: number
  /** The earlier answers that a call of responses continues; absent for any other. */
  readonly continued?: Continued
}

/** The part of earlier answers in a call of responses. */
export interface Continued {
  /** True where the call names earlier answers by their ids. */
  readonly isByIds: boolean
  /** The response that the call names as the one before it. */
  readonly previousId: string | null
  /** The turn that the call adds to a conversation. */
  readonly turn: NewTurn
  /** The providers that keep what the call names, by the ids that this tenant received. */
  readonly received: ReadonlyMap<string, string>
  readonly placeholders: readonly GivenPlaceholder[]
  /** Where the provider may know others: a part of the names of all new ones, see `createPlaceholders`. */
  readonly tag?: string
}

/** The turn of a call, before its answer. */
export interface NewTurn {
  /** The response that it goes on from; null for the first turn of a conversation. */
  readonly parent: TurnFacts | null
  /** True where the call names that response, or items of it, by ids; else its items repeat the conversation up to its end. */
  readonly isNamed: boolean
  /** The items of the turns before it. */
  readonly before: readonly JsonObject[]
  /** The caller's items before the gate, without those. */
  readonly input: readonly JsonObject[]
  /** Of the conversation before it, see `digestAfter`; null where that is not known. */
  readonly digest: string | null
}

/** Facts of a response that is kept here. */
export interface TurnFacts {
  readonly name: string
  readonly namespace: string
  /** Turns of its conversation up to it. */
  readonly turns: number
  /** Bytes that these take. */
  readonly bytes: number
  /** Of its conversation up to its end; null where that is not known. */
  readonly digest: string | null
}

/**
 * Opens a call. Throws `validation_failed` for a namespace or a retention that is none, and `insufficient_scope` for a
 * namespace that the caller's key is not bound to.
 */
export function openCall(call: InferenceCall): OpenCall {
  const { services, principal, requestId, request, dialect, body, target, plain = null } = call
  const { scopes, tenantId, keyId, memberId, teamId } = principal
  const at = services.now()
  const asked = namespaceAsked(request.headers, body)
  return {
    ...call,
    body: withoutOwnMembers(body),
    isLarge: isLarge(request),
    startedAt: performance.now(),
    facts: {
      captureId: newTimedId('cap', at),
      receiptId: newId('rcpt'),
      requestId,
      tenantId,
      namespace: namespaceForNew({ scopes }, { namespace: asked, continued: null }) ?? DEFAULT_NAMESPACE,
      keyId,
      memberId,
      teamId,
      dialect: dialect.name,
      plain,
      requestModel: typeof body['model'] === 'string' ? body['model'] : target.model,
      retention: retentionAsked(request.headers, body),
      isStreamed: body['stream'] === true || body['stream_format'] === 'sse',
      at,
    },
  }
}

/** Bytes of a body from which on it is large. */
const LARGE_BYTES = 256 * 1024

/**
 * True for a body that is large, with so many characters more. One that does not announce its length counts as large: those of
 * the published SDKs all do.
 */
export function isLarge({ headers }: IncomingMessage, moreChars = 0): boolean {
  const length = headers['content-length']
  return length === undefined || Number(length) + moreChars > LARGE_BYTES
}

/** A header's text; of several, joined by commas. */
export function headerText({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(',') : value
}
