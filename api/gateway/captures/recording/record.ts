import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { rulesOf, type CallRecorder, type CallRules } from '../../../../core/gateway/captures/recording/record-call.ts'
import type { NewCapture } from '../../../../core/gateway/captures/capture.ts'
import { measureCapture } from '../../../../core/gateway/captures/recording/pack-content.ts'
import { GATEWAY_ERRORS } from '../../../../core/gateway/errors.ts'
import { retentionAsked } from '../../../../core/gateway/record/asked.ts'
import { isOneOf, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { chainLength } from '../../../../db/gateway/captures/recording/chain-length.ts'
import { namespaceForNew } from '../../../../db/kernel/namespaces/bounds.ts'
import { DEFAULT_NAMESPACE } from '../../../../db/billing/usage/charged-to.ts'
import { discardUpload, passUpload } from '../../../../db/kernel/blobs/uploads.ts'
import { reserveBytes } from '../../../../db/kernel/storage/allowance.ts'
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

/** Returns the reader of the rules for texts that are stored with captures of the tenant, by namespace; `isAgain`: read anew. */
export function rulesReader(services: Pick<GatewayServices, 'namespaces'>, { tenantId }: Operation) {
  return async (namespace: string, isAgain: boolean): Promise<CallRules> =>
    await rulesIn(services, { tenantId, namespace }, isAgain)
}

/** Returns true for a call that asks that nothing of it is kept. Throws `validation_failed`. */
export function asksNothingKept({ headers }: IncomingMessage, body: JsonObject): boolean {
  return retentionAsked(headers, body) === 'none'
}

/** Captures that were committed. */
export interface Committed {
  /** The headers of an answer about them. */
  readonly headers: ReplyHeaders
  /** Bytes of their contents. */
  readonly bytes: number
}

/**
 * Commits captures in the transaction of the call. Throws `capture_store_unavailable`, with the number of captures as
 * failures, and `storage_allowance_used` where their contents do not fit.
 */
export async function commitAll(
  { captures: writer, limits }: Pick<GatewayServices, 'captures' | 'limits'>,
  op: Operation,
  captures: readonly NewCapture[],
  namespace: string,
): Promise<Committed> {
  const measured: NewCapture[] = []
  let bytes = 0
  for (const each of captures) {
    const one = await measureCapture(each, limits.capture_inline_bytes)
    measured.push(one.capture)
    bytes += one.bytes
  }
  const storageId = randomUUID()
  const besideBytes = writer.room.takenBytes(op.tenantId)
  if (bytes > 0) await op.write(async (tx) => await reserveBytes(tx, op, { storageId, bytes, limits, besideBytes }))
  try {
    await writer.commit(measured, op.db)
  } catch (error) {
    // What fails here is collected as a stale upload.
    if (bytes > 0) await discardUpload(op.db, storageId).catch(() => undefined)
    if (!isOneOf(error, [KERNEL_ERRORS.store_unavailable, KERNEL_ERRORS.storage_full])) throw error
    throw GATEWAY_ERRORS.capture_store_unavailable('nothing was stored: the database cannot be reached; try again', {
      cause: error,
      retryAfterS: 2,
      details: { namespace, count: 0, failures: captures.length },
    })
  }
  // The captures are stored: where this fails, their bytes count twice until the upload is collected.
  if (bytes > 0) await op.write(async (tx) => await passUpload(tx, storageId)).catch(() => undefined)
  const length = await chainLength(op, namespace)
  const crossed = THRESHOLDS.findLast((threshold) => length >= threshold && length - captures.length < threshold)
  const headers = {
    'x-svc-capture-durable': 'true',
    'x-svc-namespace': namespace,
    ...(length >= THRESHOLDS[0] && { 'x-svc-distill-ready': 'true' }),
    ...(crossed !== undefined && { 'x-svc-distill-threshold': String(crossed) }),
  }
  return { headers, bytes }
}
