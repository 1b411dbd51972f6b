import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import { getBlob } from '../../../kernel/blobs/read-blob.ts'
import type { CaptureReader } from '../read-columns.ts'

/**
 * Returns the bytes of a file of the tenant's captures. Throws `not_found` for one that no capture in reach has, which is the
 * answer for another tenant's as well.
 */
export async function findMedium(op: CaptureReader, sha256: Sha256, maxBytes: number): Promise<Uint8Array> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('capture_media')
      .select('blob_sha256 as sha256')
      .where('tenant_id', '=', op.tenantId)
      .where('blob_sha256', '=', sha256)
      .limit(1),
  )
  if (row === undefined) throw KERNEL_ERRORS.not_found('no such file')
  return await getBlob(op.db, sha256, maxBytes)
}
