import { captureOf, type CallFindings } from '../../../core/gateway/captures/capture-of.ts'
import type { CallRecord } from '../../../core/gateway/record/call-record.ts'
import type { Durability } from '../../../db/gateway/captures/writer/writer.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'
import type { GatewayServices } from '../services.ts'

/** Findings where no other part of the gateway looked at the call. */
export const NO_FINDINGS: CallFindings = { redactionClasses: null, route: null, receipt: null, conversationId: null }

/**
 * Captures a finished call, and returns the headers that tell of it. The answer is given whatever becomes of the capture:
 * `x-svc-capture-durable` is `true` only when it outlives this process. Never throws.
 */
export async function keepCall(
  { captures, log }: Pick<GatewayServices, 'captures' | 'log'>,
  record: CallRecord,
  findings: CallFindings,
  durability: Durability,
): Promise<ReplyHeaders> {
  let isDurable = false
  try {
    isDurable = await captures.write(captureOf(record, findings), durability)
  } catch (error) {
    log.error({ err: error, request_id: record.requestId, capture_id: record.captureId }, 'a call is not captured')
  }
  const durable = String(isDurable)
  const isNone = record.retention === 'none'
  return {
    ...captureHeaders(record),
    'x-svc-event-durable': durable,
    'x-svc-capture-durable': durable,
    ...(isNone && { 'x-svc-retention': 'none', 'x-svc-no-store': 'true' }),
  }
}

/** Headers that are known before a call is over. */
export function captureHeaders({ captureId }: Pick<CallRecord, 'captureId'>): ReplyHeaders {
  return { 'x-svc-event-id': captureId, 'x-svc-capture-id': captureId }
}
