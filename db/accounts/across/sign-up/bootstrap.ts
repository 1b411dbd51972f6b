import type { Limits } from '../../../../core/accounts/limits.ts'
import type { Database } from '../../../kernel/database.ts'
import { mintKey } from '../../keys/key-text.ts'
import { service } from '../../../kernel/queries/service.ts'
import { createTenant } from './create-tenant.ts'

/** An anonymous workspace: a tenant without an account. */
export interface AnonymousWorkspace {
  readonly tenantId: string
  /** Its token, shown only here. */
  readonly token: string
  readonly expiresAt: Date
  /** Units per month. */
  readonly quota: number
}

const DAY_MS = 86_400_000

/** Makes a workspace for a caller without an address. It is removed when it expires, unless it is claimed. */
export async function bootstrapWorkspace(
  db: Database,
  input: { readonly requestId: string; readonly now: Date; readonly limits: Limits },
): Promise<AnonymousWorkspace> {
  const { now, limits } = input
  const minted = await mintKey(db.hashSlots, 'kao')
  const expiresAt = new Date(now.getTime() + limits.anonymous_days * DAY_MS)
  const quota = limits.quota_anonymous
  const { tenant } = await service.write(
    db,
    'a workspace is a tenant that is just being made',
    async (tx) =>
      await createTenant(tx, db, {
        kind: 'anonymous',
        email: null,
        isEmailVerified: false,
        pendingPlan: null,
        quotaOverride: quota,
        expiresAt,
        key: { minted, kind: 'anonymous' },
        actor: { kind: 'anonymous' },
        requestId: input.requestId,
        now,
      }),
  )
  return { tenantId: tenant.id, token: minted.apiKey, expiresAt, quota }
}
