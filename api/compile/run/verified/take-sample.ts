import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { targetOf } from '../../../../core/gateway/calls/target.ts'
import { CALLER_TABLE } from '../../../../core/gateway/protocol/dialects/table.ts'
import type { CallRecord } from '../../../../core/gateway/record/call-record.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Principal } from '../../../../db/kernel/tenant/principal.ts'
import { answerCall } from '../../../gateway/calls/answer-call.ts'
import type { ReplyHeaders } from '../../../kernel/route.ts'
import type { CompileServices } from '../../services.ts'

/** The call that samples are taken for. */
export interface Sampler {
  readonly services: CompileServices
  readonly principal: Principal
  readonly requestId: string
  readonly request: IncomingMessage
  readonly hangUp: () => AbortSignal
}

/** One answer of the model. */
export interface Sample {
  readonly text: string
  readonly costMicros: number | null
  readonly headers: ReplyHeaders
}

const Message = z.looseObject({ content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })) })

/**
 * Takes one sample by the gateway's one path: gate, quota, budget, receipt and capture are those of any call. Neither the
 * namespace's cache nor its artifact answers, since either would give the same answer each time. Throws what the path
 * throws.
 */
export async function takeSample(sampler: Sampler, body: JsonObject & { readonly model: string }): Promise<Sample> {
  let record: CallRecord | undefined
  const reply = await answerCall({
    ...sampler,
    dialect: CALLER_TABLE.messages,
    body,
    target: targetOf(body.model),
    wishes: { artifact_id: null, cache_mode: 'off' },
    onAnswered: (facts) => {
      record = facts.record
    },
  })
  if (record === undefined || reply.raw.kind !== 'bytes') throw new Error('a call was not concluded')
  const { content } = Message.parse(JSON.parse(reply.raw.bytes.toString()))
  const texts = content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
  // The receipt of the call stands in its capture; the answer carries the one of all samples.
  const headers = Object.entries(reply.headers).filter(([name]) => /^x-svc-(?!receipt)/i.test(name))
  return { text: texts.join(''), costMicros: record.costMicros, headers: Object.fromEntries(headers) }
}
