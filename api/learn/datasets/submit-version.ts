import { createHash } from 'node:crypto'
import { invalidField } from '../../../core/kernel/errors.ts'
import { hashJson, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import { workspacePath } from '../../../core/kernel/workspace/workspace.ts'
import type { ErrorCode } from '../../../core/learn/errors.ts'
import type { VersionSource, VersionSplit } from '../../../core/learn/datasets/version-request.ts'
import { discardUpload } from '../../../db/kernel/blobs/uploads.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { requireAllowance } from '../../../db/kernel/storage/allowance.ts'
import { stageBytes, type CallerBytes } from '../../../db/kernel/storage/stage-bytes.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { createVersion, type NewFile, type NewVersion } from '../../../db/learn/datasets/create-version.ts'
import { claimantOf, idempotencyKeyFrom } from '../../kernel/guard/idempotency.ts'
import type { CallFacts } from '../services.ts'
import { answerBuild } from './answer-build.ts'

/** Codes of a version that cannot be accepted, and of one that a caller waited for and that was not built. */
export const SUBMIT_ERRORS = [
  'not_found',
  'dataset_building',
  'dataset_not_ready',
  'empty_dataset',
  'unknown_rows',
  'dataset_split_error',
  'dataset_failed',
  'capture_forgotten',
  'sealed_rows',
  'too_many_rows',
  'too_many_running_jobs',
  'limit_reached',
  'storage_allowance_used',
  'idempotency_key_reused',
  'path_outside_workspace',
  'example_too_large',
  'unsupported_media_type',
  'invalid_encoding',
  'invalid_json',
  'payload_too_large',
  'busy',
  'storage_full',
] as const satisfies readonly ErrorCode[]

/** The facts of a call that asks for a version. */
export type SubmitCall = Pick<CallFacts, 'services' | 'request' | 'caller' | 'endOfCall'> & {
  readonly op: Operation
  readonly principal: Principal
}

/** The request of a call. */
export interface AskedVersion {
  readonly route: string
  readonly of: NewVersion['of']
  readonly kind: VersionSource['kind']
  readonly captures: VersionSource['captures']
  readonly removed: readonly string[]
  readonly split: VersionSplit
  readonly rows?: readonly JsonObject[] | undefined
  readonly paths?: readonly string[] | undefined
  readonly files?: readonly { readonly name: string; readonly spooled: CallerBytes }[]
}

/**
 * Accepts a version with its files and waits until it is built, at most `sync_dataset_wait_s` seconds. Throws what
 * `createVersion` throws, and the error of a build that failed.
 */
export async function submitVersion(call: SubmitCall, asked: AskedVersion) {
  const { op, services, principal, request } = call
  const { limits } = services
  const given = [...(asked.files ?? []), ...inlineFile(asked.rows)]
  const workspace = (asked.paths ?? []).map((path, at) =>
    workspacePath(services.settings.workspacesDir, { tenantId: op.tenantId, path, field: `paths.${at}` }),
  )
  await requireAllowance(op, limits)
  services.storage.take(given.reduce((sum, { spooled }) => sum + spooled.sizeBytes, 0))
  const key = idempotencyKeyFrom(request.headers['idempotency-key'])
  const named: Json = JSON.parse(JSON.stringify({ ...asked, rows: null, files: null }))
  const idempotency =
    key === undefined
      ? undefined
      : {
          route: asked.route,
          key,
          credential: claimantOf(principal),
          bodyHash: hashJson({ named, files: given.map(({ name, spooled }) => ({ name, sha256: spooled.sha256 })) }),
        }
  const files: NewFile[] = workspace.map((name) => ({ name, staged: null }))
  let isTaken = false
  try {
    for (const { name, spooled } of given) files.push({ name, staged: await stageBytes(op, spooled, limits) })
    const { of, kind, captures, removed, split } = asked
    const source = { kind, captures, removed: [...removed] }
    const made = await createVersion(op, { of, source, split, files, limits, idempotency })
    isTaken = !made.isReplay
    return await answerBuild(call, made)
  } finally {
    if (!isTaken) {
      for (const { staged } of files) {
        if (staged !== null) await discardUpload(op.db, staged.storageId).catch(() => undefined)
      }
    }
  }
}

/** Inline rows as a file of JSON lines. */
function inlineFile(rows: readonly JsonObject[] | undefined): readonly { name: string; spooled: CallerBytes }[] {
  if (rows === undefined) return []
  const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return [{ name: 'inline', spooled: { sha256: `sha256:${sha256}`, sizeBytes: bytes.length, read: () => bytes } }]
}

/** Refuses a call that names several sources of files at once. */
export function requireOneSource({ rows, paths }: Pick<AskedVersion, 'rows' | 'paths'>): void {
  if (rows !== undefined && paths !== undefined) throw invalidField('paths', 'must be absent beside rows')
}
