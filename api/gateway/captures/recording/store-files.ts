import type { NewCapture } from '../../../../core/gateway/captures/capture.ts'
import type { CallRecorder, CallRules } from '../../../../core/gateway/captures/recording/record-call.ts'
import type { Redacted, Stored } from '../../../../core/gateway/captures/recording/redact-texts.ts'
import { storeMedia, type MediaOfCaptures } from '../../../../db/gateway/captures/recording/store-media.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import type { GatewayServices } from '../../services.ts'
import { refusedBy } from './logs.ts'
import { commitAll, type Committed } from './record.ts'

/** The call that stores files, with the rules of its namespace. */
export interface Storing {
  readonly op: Operation
  readonly services: GatewayServices
  readonly recorder: CallRecorder
  readonly rules: CallRules
}

/** Throws `privacy_policy_blocked`. */
export function storedOf<T>(redacted: Redacted<T>): Stored<T> {
  if (redacted.kind === 'blocked') throw refusedBy(redacted.classes)
  return redacted
}

/** Commits captures with their files; without files, as other captures. */
export async function commitWith(
  services: GatewayServices,
  op: Operation,
  {
    captures,
    files,
    namespace,
    forgotten,
  }: Omit<MediaOfCaptures, 'limits'> & { readonly captures: readonly NewCapture[] },
): Promise<Committed> {
  if (files.length === 0) return await commitAll(services, op, captures, namespace)
  let committed: Committed = { headers: {}, bytes: 0 }
  await storeMedia(op, { namespace, files, limits: services.limits, forgotten }, async (db) => {
    committed = await commitAll(services, { ...op, db }, captures, namespace)
  })
  return committed
}
