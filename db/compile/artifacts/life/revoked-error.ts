import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import type { DomainError } from '../../../../core/kernel/errors.ts'
import type { TenantAccess } from '../../../kernel/operation.ts'

/** Returns the error of a revoked artifact of the tenant: `artifact_revoked` `{reason, revoked_at, actor}`. */
export async function revokedError(from: TenantAccess, artifactId: string): Promise<DomainError> {
  const [revocation] = await from.read((q) =>
    q
      .selectFrom('artifacts as a')
      .leftJoin('artifact_transitions as t', (on) =>
        on.onRef('t.artifact_id', '=', 'a.id').on('t.to_state', '=', 'revoked'),
      )
      .select(['a.revoked_reason as reason', 'a.revoked_at as at', 't.actor'])
      .where('a.id', '=', artifactId)
      .where('a.tenant_id', '=', from.tenantId),
  )
  return COMPILE_ERRORS.artifact_revoked('this artifact was revoked', {
    details: {
      artifact_id: artifactId,
      reason: revocation?.reason ?? null,
      revoked_at: revocation?.at?.toISOString() ?? null,
      actor: revocation?.actor ?? null,
    },
  })
}
