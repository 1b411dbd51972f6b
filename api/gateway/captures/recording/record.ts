import type { IncomingMessage } from 'node:http'
import { rulesOf, type CallRecorder, type CallRules } from '../../../../core/gateway/captures/recording/record-call.ts'
import type { NewCapture } from '../../../../core/gateway/captures/capture.ts'
import { GATEWAY_ERRORS } from '../../../../core/gateway/errors.ts'
import { retentionAsked } from '../../../../core/gateway/record/asked.ts'
import { isOneOf, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Limits } from '../../../../core/gateway/limits.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { chainLength } from '../../../../db/gateway/captures/recording/chain-length.ts'
import { namespaceForNew } from '../../../../db/kernel/namespaces/bounds.ts'
import { DEFAULT_NAMESPACE } from '../../../../db/billing/usage/charged-to.ts'
import { allowanceUsed, requireAllowance } from '../../../../db/kernel/storage/allowance.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import type { ReplyHeaders } from '../../../kernel/route.ts'
import type { GatewayServices } from '../../services.ts'
import type { CaptureCaller } from '../access.ts'

/** Rows of a namespace from which there is something to learn from. */
export const THRESHOLDS = [100, 500, 1000] as const

/** Headers of an answer that stored nothing, because the call or its namespace asks for that. */
export const NOTHING_KEPT: ReplyHeaders = {
  'x-svc-retention': 'none',
  'x-svc-no-store': 'true',
  'x-svc-event-durable': 'false',
}

/** Returns the caller that records, in the namespace that the body names, else in the first of the caller's. */
export function recorderOf({ op, principal }: CaptureCaller, namespace: string | undefined): CallRecorder {
  const { tenantId, keyId, memberId, teamId } = principal
  return {
    tenantId,
    namespace: namespaceForNew(op, { namespace: namespace ?? null, continued: null }) ?? DEFAULT_NAMESPACE,
    requestId: op.requestId,
    keyId,
    memberId,
    teamId,
  }
}

/** The rules for calls that are stored in the recorder's namespace; `isAgain`: read anew. */
export async function rulesIn(
  { namespaces }: Pick<GatewayServices, 'namespaces'>,
  { tenantId, namespace }: Pick<CallRecorder, 'tenantId' | 'namespace'>,
  isAgain = false,
): Promise<CallRules> {
  if (isAgain) namespaces.forget(tenantId)
  return rulesOf(await namespaces.read(tenantId, namespace), await namespaces.forgotten(tenantId))
}

/** Returns true for a call that asks that nothing of it is kept. Throws `validation_failed`. */
export function asksNothingKept({ headers }: IncomingMessage, body: JsonObject): boolean {
  return retentionAsked(headers, body) === 'none'
}

/**
 * Commits captures in the transaction of the call. Returns the headers that tell of it. Throws `capture_store_unavailable`,
 * with the number of captures as failures, and `storage_allowance_used` where their large contents do not fit.
 */
export async function commitAll(
  { captures: writer, limits }: Pick<GatewayServices, 'captures' | 'limits'>,
  op: Operation,
  captures: readonly NewCapture[],
  namespace: string,
): Promise<ReplyHeaders> {
  await requireRoomFor(op, captures, limits)
  try {
    await writer.commit(captures, op.db)
  } catch (error) {
    if (!isOneOf(error, [KERNEL_ERRORS.store_unavailable, KERNEL_ERRORS.storage_full])) throw error
    throw GATEWAY_ERRORS.capture_store_unavailable('nothing was stored: the database cannot be reached; try again', {
      cause: error,
      retryAfterS: 2,
      details: { namespace, count: 0, failures: captures.length },
    })
  }
  const length = await chainLength(op, namespace)
  const crossed = THRESHOLDS.findLast((threshold) => length >= threshold && length - captures.length < threshold)
  return {
    'x-svc-capture-durable': 'true',
    'x-svc-namespace': namespace,
    ...(length >= THRESHOLDS[0] && { 'x-svc-distill-ready': 'true' }),
    ...(crossed !== undefined && { 'x-svc-distill-threshold': String(crossed) }),
  }
}

/** Throws `storage_allowance_used` where the contents that become blobs do not fit. */
async function requireRoomFor(op: Operation, captures: readonly NewCapture[], limits: Limits): Promise<void> {
  const sizes = captures.map(({ content }) => (content === null ? 0 : Buffer.byteLength(JSON.stringify(content))))
  const bytes = sizes.filter((size) => size > limits.capture_inline_bytes).reduce((sum, size) => sum + size, 0)
  if (bytes === 0) return
  const allowance = await requireAllowance(op, limits, bytes)
  if (allowance.usedBytes + bytes > allowance.limitBytes) throw allowanceUsed(allowance, bytes)
}
