import type { Revocation } from '../../../core/compile/wire/artifacts/revocations.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/** Lists the revoked archives of all tenants behind a number, in the order of their numbers. */
export async function listRevocations(
  db: Database,
  { after }: { readonly after: number },
): Promise<readonly Revocation[]> {
  const rows = await service.read(db, 'the public list names the revoked archives of all tenants', (q) =>
    q
      .selectFrom('revocations')
      .select(['number', 'cid', 'artifact_hash as artifactHash', 'revoked_at as revokedAt'])
      .where('number', '>', after)
      .orderBy('number'),
  )
  return rows.map(({ number, cid, artifactHash, revokedAt }) => ({
    number: Number(number),
    cid,
    artifact_hash: artifactHash,
    revoked_at: revokedAt.toISOString(),
  }))
}
