import type { NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import type { AuditReceipt } from '../../../core/gateway/record/receipts/audit-receipt.ts'
import { captureOf, largeCaptureOf } from '../../../core/gateway/captures/capture-of.ts'
import { LEFT_OUT_HEADER } from '../../../core/gateway/record/receipts/carry-receipt.ts'
import type { KeptPart } from '../../../core/gateway/record/receipts/sign-receipt.ts'
import type { CallRecord } from '../../../core/gateway/record/call-record.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'
import type { GatewayServices } from '../services.ts'

/** Headers of a call that is not captured. */
export const NOT_KEPT: ReplyHeaders = { 'x-svc-event-durable': 'false', 'x-svc-capture-durable': 'false' }

/**
 * Captures a finished call as its namespace says, and returns the headers that tell of it. The answer is given whatever
 * becomes of the capture: `x-svc-capture-durable` is `true` only when it outlives this process. Never throws.
 */
export async function keepCall(
  { captures, log }: Pick<GatewayServices, 'captures' | 'log'>,
  record: CallRecord,
  {
    settings,
    receipt,
    isLarge = false,
  }: { readonly settings: NamespaceSettings; readonly receipt: AuditReceipt | null; readonly isLarge?: boolean },
): Promise<ReplyHeaders> {
  if (settings.capture_mode === 'off') return NOT_KEPT
  const findings = { receipt: receipt === null ? null : { ...receipt }, conversationId: null }
  const kept = keptBy(settings, record) === 'hashes' ? { ...record, retention: 'none' as const } : record
  let isDurable = false
  try {
    const capture = isLarge ? await largeCaptureOf(kept, findings) : captureOf(kept, findings)
    isDurable = await captures.write(capture, settings.durable)
  } catch (error) {
    captures.room.release(record.captureId)
    log.error({ err: error, request_id: record.requestId, capture_id: record.captureId }, 'a call is not captured')
  }
  const durable = String(isDurable)
  const isNone = record.retention === 'none'
  return {
    ...captureHeaders(settings, record),
    'x-svc-event-durable': durable,
    'x-svc-capture-durable': durable,
    ...(record.leftOut && { [LEFT_OUT_HEADER]: record.leftOut }),
    ...(isNone && { 'x-svc-retention': 'none', 'x-svc-no-store': 'true' }),
  }
}

/** Headers that are known before a call is over; none where nothing is stored. */
export function captureHeaders(
  { capture_mode: mode }: NamespaceSettings,
  { captureId }: Pick<CallRecord, 'captureId'>,
): ReplyHeaders {
  return mode === 'off' ? {} : { 'x-svc-event-id': captureId, 'x-svc-capture-id': captureId }
}

/** Returns the part of a call that its capture holds. */
export function keptBy(
  { capture_mode: mode }: NamespaceSettings,
  { retention }: Pick<CallRecord, 'retention'>,
): KeptPart {
  if (mode === 'off') return 'nothing'
  return mode === 'metadata_only' || retention === 'none' ? 'hashes' : 'content'
}
