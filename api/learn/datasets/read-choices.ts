import type { z } from 'zod'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { VersionSource, VersionSplit } from '../../../core/learn/datasets/version-request.ts'
import type { CaptureChoices, SplitChoices } from '../../../core/learn/wire/datasets/fields.ts'
import { requireCaptures } from '../../../db/gateway/captures/get-capture.ts'
import { requireAccess } from '../../gateway/captures/access.ts'
import type { SubmitCall } from './submit-version.ts'

/** Returns the choices of a split as its version keeps them, the ratio aside. */
export function splitOf(
  given: z.output<typeof SplitChoices>,
): Pick<VersionSplit, 'min_train' | 'min_holdout' | 'seed'> {
  const { min_train, min_holdout, seed } = given
  return { min_train, min_holdout, seed: seed === undefined ? null : String(seed) }
}

/**
 * Returns the captures to take as a version keeps them: pending and approved ones unless the caller says otherwise. Requires
 * `capture:read`. Throws `not_found` for ids that name no capture of the namespace.
 */
export async function readCaptureChoice(
  call: SubmitCall,
  namespace: string,
  given: z.output<typeof CaptureChoices>,
): Promise<NonNullable<VersionSource['captures']>> {
  await requireAccess(call, 'capture:read', namespace)
  if (given.capture_ids !== undefined) await requireCaptures(call.op, namespace, given.capture_ids)
  return capturesOf(given)
}

/** Throws `validation_failed` for ids of captures that the call does not take. */
export function refuseUnusedIds({ capture_ids: ids }: z.output<typeof CaptureChoices>): void {
  if (ids !== undefined) throw invalidField('capture_ids', 'needs from_captures: true beside other rows')
}

function capturesOf(given: z.output<typeof CaptureChoices>): NonNullable<VersionSource['captures']> {
  const { statuses, approved_only: approvedOnly, capture_ids: ids, limit } = given
  return {
    statuses: approvedOnly ? ['approved'] : (statuses ?? ['pending', 'approved']),
    ids: ids ?? null,
    most: limit,
  }
}
