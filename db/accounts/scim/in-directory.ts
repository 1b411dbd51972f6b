import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import type { ScimDirectory } from '../../../core/accounts/scim/directory.ts'
import type { Limits } from '../../../core/accounts/limits.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requireEntitled } from '../sso/may-configure.ts'
import { holdSettings } from '../sso/settings-in-force.ts'
import { lockInTransaction } from '../../kernel/transaction.ts'
import type { DirectoryDeps } from './directory-deps.ts'
import { createGroups } from './groups.ts'
import { createUsers } from './users.ts'

/** A call of the identity provider: the tenant's plan, and whether the call changes anything. */
export interface DirectoryCall {
  readonly plan: PlanId
  readonly limits: Limits
  readonly isWrite: boolean
}

/**
 * Runs one call of a tenant's identity provider on its people and groups, in one transaction; calls with changes run
 * one after another, so that two patches of one group lose no change. Returns the result and the ids whose credentials
 * ended. Throws `enterprise_only`, and `forbidden` when SCIM is switched off.
 */
export async function inDirectory<T>(
  op: Operation,
  { plan, limits, isWrite }: DirectoryCall,
  work: (directory: ScimDirectory) => Promise<T>,
): Promise<{ readonly result: T; readonly ended: readonly string[] }> {
  requireEntitled(plan)
  return await op.write(async (tx) => {
    if (isWrite) await lockInTransaction(tx, `scim ${op.tenantId}`)
    const settings = await holdSettings(tx, op)
    if (!settings.isScimEnabled) throw ACCOUNTS_ERRORS.forbidden('SCIM is switched off for this organisation')
    const deps: DirectoryDeps = { tx, op, settings, limits, ended: new Set() }
    const result = await work({ ...createUsers(deps), ...createGroups(deps), mostScanned: limits.scim_users })
    return { result, ended: [...deps.ended] }
  })
}
