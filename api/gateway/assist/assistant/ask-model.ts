import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { Target } from '../../../../core/gateway/calls/target.ts'
import { CALLER_TABLE } from '../../../../core/gateway/protocol/dialects/table.ts'
import type { CallRecord } from '../../../../core/gateway/record/call-record.ts'
import type { AuditReceipt } from '../../../../core/gateway/record/receipts/audit-receipt.ts'
import { canonicalJson, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { namespacesOf } from '../../../../core/kernel/scopes.ts'
import type { Principal } from '../../../../db/kernel/tenant/principal.ts'
import type { ReplyHeaders } from '../../../kernel/route.ts'
import { answerCall } from '../../calls/answer-call.ts'
import type { GatewayServices } from '../../services.ts'
import { ASSISTANT_NAMESPACE } from './choose-model.ts'

/** The caller that asks a model, and the call. */
export interface Asker {
  readonly services: GatewayServices
  readonly principal: Principal
  readonly requestId: string
  readonly request: IncomingMessage
  readonly hangUp: () => AbortSignal
}

/** The answer of a model, and the facts of its call. */
export interface ModelReply {
  readonly text: string
  readonly record: CallRecord
  readonly receiptHash: string | null
  /** Those of the call that tell how it was routed, redacted and captured. */
  readonly headers: ReplyHeaders
}

const Completion = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string().nullish() }) })).min(1),
})

/**
 * Asks a model by the gateway's one path: gate, quota, budget, receipt and capture are those of any call. It is captured in the namespace
 * `assistant` unless the caller names another. Throws what the path throws.
 */
export async function askModel(
  asker: Asker,
  {
    target,
    messages,
    maxTokens,
  }: { readonly target: Target; readonly messages: readonly JsonObject[]; readonly maxTokens: number },
): Promise<ModelReply> {
  const { principal } = asker
  // OpenAI's newer models refuse the older name, and others do not know the newer one.
  const bound = target.provider.id === 'openai' ? 'max_completion_tokens' : 'max_tokens'
  const own = namespacesOf(principal.scopes) === null ? { corpus_namespace: ASSISTANT_NAMESPACE } : {}
  let concluded: { readonly record: CallRecord; readonly receipt: AuditReceipt | null } | undefined
  const reply = await answerCall({
    ...asker,
    dialect: CALLER_TABLE['chat-completions'],
    target,
    body: { model: `${target.provider.id}:${target.model}`, messages: [...messages], [bound]: maxTokens, ...own },
    onAnswered: (facts) => {
      concluded = facts
    },
  })
  if (concluded === undefined || reply.raw.kind !== 'bytes') throw new Error('a call was not concluded')
  const { record, receipt } = concluded
  const completion = Completion.parse(JSON.parse(reply.raw.bytes.toString()))
  const passed = Object.entries(reply.headers).filter(([name]) => /^x-svc-(?!receipt)/i.test(name))
  return {
    text: completion.choices[0]?.message.content ?? '',
    record,
    receiptHash: receipt === null ? null : hash('sha256', canonicalJson({ ...receipt })),
    headers: Object.fromEntries(passed),
  }
}
