import { compileForgetList, type ForgetFinder } from '../../../core/gateway/gate/privacy/forget-list.ts'
import type { Database } from '../../kernel/database.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { serviceKey } from '../../kernel/secrets/service-secrets.ts'

/** Reads and compiles the forget list of a tenant, from `reader`; null for an empty one. */
export async function readForgotten(db: Database, tenantId: string, reader: Reader): Promise<ForgetFinder | null> {
  const rows = await reader.read((q) =>
    q.selectFrom('forgotten_terms').select(['pattern', 'words', 'bucket', 'digest']).where('tenant_id', '=', tenantId),
  )
  if (rows.length === 0) return null
  const subjects = rows.flatMap(({ words, bucket, digest }) =>
    words === null || bucket === null ? [] : [{ words, bucket, digest: Buffer.from(digest).toString('hex') }],
  )
  const patterns = rows.flatMap(({ pattern }) => (pattern === null ? [] : [pattern]))
  return compileForgetList({ subjects, patterns }, await serviceKey(db, 'fingerprint', reader))
}
