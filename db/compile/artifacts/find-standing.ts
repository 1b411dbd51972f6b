import { sql } from 'kysely'
import type { CredentialStanding } from '../../../core/compile/artifacts/credential/verify-credential.ts'
import type { TenantAccess } from '../../kernel/operation.ts'

/** Returns the state of an artifact of the tenant by its id and artifact hash; undefined when there is none. */
export async function findStanding(
  tenant: TenantAccess,
  artifact: { readonly id: string; readonly hash: string },
): Promise<CredentialStanding | undefined> {
  const [row] = await tenant.read((q) =>
    q
      .selectFrom('artifacts')
      .select(['state', 'revoked_at as revokedAt'])
      .where('id', '=', artifact.id)
      .where('tenant_id', '=', tenant.tenantId)
      .where(sql<boolean>`receipt ->> 'artifact_hash' = ${artifact.hash}`),
  )
  if (row === undefined) return undefined
  return { state: row.state, isRevoked: row.state === 'revoked' || row.revokedAt !== null }
}
