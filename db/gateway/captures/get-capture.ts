import { sql } from 'kysely'
import type { CaptureContent } from '../../../core/gateway/captures/capture.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { getBlob } from '../../kernel/blobs/read-blob.ts'
import { CAPTURE_COLUMNS, DETAIL_COLUMNS, type CaptureReader } from './read-columns.ts'

/** A capture with its content, its receipt and its place in the chain. Hashes are hexadecimal. */
export type WholeCapture = Awaited<ReturnType<typeof getCapture>>

/** Largest content that is read into memory. */
const MOST_BYTES = 128 * 1024 * 1024
/** Unknown ids that an error lists; all are counted. */
const MOST_UNKNOWN = 100

/**
 * Returns a capture of the tenant; `content` is null for zero retention, for a forgotten one, whose `forgottenAt` says so, and
 * for one whose content was left out. Throws `not_found`.
 */
export async function getCapture(op: CaptureReader, id: string) {
  const [rows, media] = await op.read((q) => [
    q
      .selectFrom('captures as c')
      .leftJoin('capture_contents as x', 'x.id', 'c.id')
      .select(CAPTURE_COLUMNS)
      .select(DETAIL_COLUMNS)
      .select(['x.id as contentId', 'x.prompt', 'x.response', 'x.body', 'x.answer', 'x.fixed_output as fixedOutput'])
      .select('x.blob_sha256 as blobSha256')
      .where('c.tenant_id', '=', op.tenantId)
      .where('c.id', '=', id),
    q
      .selectFrom('capture_media')
      .select(['place', 'kind', 'mime', 'filename', 'blob_sha256 as sha256', 'size_bytes as sizeBytes'])
      .where('tenant_id', '=', op.tenantId)
      .where('capture_id', '=', id)
      .orderBy('place'),
  ])
  const [row] = rows
  if (row === undefined) throw KERNEL_ERRORS.not_found('no such capture')
  const { contentId, prompt, response, body, answer, blobSha256, ...capture } = row
  const small = { prompt: prompt ?? '', response: response ?? '', body, answer }
  return {
    ...capture,
    prevHash: hex(row.prevHash),
    chainHash: hex(row.chainHash),
    inputHash: hex(row.inputHash),
    outputHash: hex(row.outputHash),
    promptHash: row.promptHash === null ? null : hex(row.promptHash),
    responseHash: row.responseHash === null ? null : hex(row.responseHash),
    answerHash: row.answerHash === null ? null : hex(row.answerHash),
    content: contentId === null ? null : await wholeContent(op, small, blobSha256),
    media,
  }
}

/** Throws `not_found`, which lists them, for ids that name no capture of the namespace, or a forgotten one. */
export async function requireCaptures(op: CaptureReader, namespace: string, ids: readonly string[]): Promise<void> {
  const rows = await op.read((q) =>
    q
      .selectFrom('captures as c')
      .select('c.id')
      .where('c.tenant_id', '=', op.tenantId)
      .where('c.namespace', '=', namespace)
      .where('c.forgotten_at', 'is', null)
      .where(sql<boolean>`c.id = any(${[...ids]}::text[])`),
  )
  const known = new Set(rows.map(({ id }) => id))
  const unknown = [...new Set(ids)].filter((id) => !known.has(id))
  if (unknown.length === 0) return
  throw KERNEL_ERRORS.not_found(
    `capture_ids: ${unknown.length} of ${ids.length} ids name no capture of ${namespace}, for example ${unknown[0]}`,
    { details: { field: 'capture_ids', unknown: unknown.slice(0, MOST_UNKNOWN) } },
  )
}

/** Returns the whole content of a row: of a large one its blob's. */
export async function wholeContent(
  op: Pick<CaptureReader, 'db'>,
  small: CaptureContent,
  blobSha256: Sha256 | null,
): Promise<CaptureContent> {
  if (blobSha256 === null) return small
  const bytes = await getBlob(op.db, blobSha256, MOST_BYTES)
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as CaptureContent
}

/** Bytes in hexadecimal. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
