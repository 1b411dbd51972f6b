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
  given: Given,
): Promise<NonNullable<VersionSource['captures']>> {
  await requireAccess(call, 'capture:read', namespace)
  const captures = capturesOf(given)
  if (captures.ids !== null) await requireCaptures(call.op, namespace, captures.ids)
  return captures
}

/** Throws `validation_failed` for ids of captures that the call does not take. */
export function refuseUnusedIds(given: Given): void {
  for (const field of ['capture_ids', 'fromEventIds'] as const) {
    if (given[field] !== undefined) throw invalidField(field, 'needs from_captures: true beside other rows')
  }
}

type Given = z.output<typeof CaptureChoices>

function capturesOf(given: Given): NonNullable<VersionSource['captures']> {
  const { capture_ids: ids, fromEventIds: eventIds, limit } = given
  if (ids !== undefined && eventIds !== undefined) {
    throw invalidField('fromEventIds', 'must be absent beside capture_ids')
  }
  return { statuses: statusesOf(given), ids: ids ?? eventIds ?? null, most: limit }
}

function statusesOf(given: Given): NonNullable<VersionSource['captures']>['statuses'] {
  const { statuses, approved_only: snake, approvedOnly: camel, includeApproved: includes } = given
  if (snake !== undefined && camel !== undefined && snake !== camel) {
    throw invalidField('approvedOnly', 'must be approved_only, or absent')
  }
  const taken = (snake ?? camel) ? (['approved'] as const) : (statuses ?? ['pending', 'approved'])
  const left = includes === false ? taken.filter((status) => status !== 'approved') : taken
  if (left.length === 0)
    throw invalidField('includeApproved', 'must be true or absent when only approved captures are taken')
  return [...left]
}
