import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { isUniqueViolation } from '../../kernel/faults/failures.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { requireOrgRole } from './org-access.ts'

/** Gives the organisation another name. Throws `not_found`, `forbidden`, and `duplicate` for a name that is taken. */
export async function renameOrg(
  op: Operation,
  input: { readonly orgId: string; readonly callerId: string | null; readonly name?: string | undefined },
): Promise<void> {
  requireScope(op, 'team:admin')
  const { orgId, callerId, name } = input
  try {
    await op.write(async (tx) => {
      const org = await requireOrgRole(tx, op, { orgId, callerId, role: 'admin' })
      if (name === undefined || org.name === name) return
      await tx.q.updateTable('tenants').set({ name }).where('id', '=', op.tenantId).execute()
      await recordAudit(tx, op, { action: 'org.updated', target: orgId, payload: { from: org.name, to: name } })
    })
  } catch (error) {
    if (isUniqueViolation(error, 'tenants_name_unique'))
      throw invalidField('name', 'is taken', ACCOUNTS_ERRORS.duplicate)
    throw error
  }
}
