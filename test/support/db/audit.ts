import { expect } from 'chai'
import type { AuditEntry } from '../../../db/ledger/audit/audit-entry.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import type { AuditAction } from '../../../core/actions.ts'
import type { Operation } from '../../../db/kernel/operation.ts'

const NEWEST = 100

/**
 * The newest line of the tenant's ledger with this action, which the test expects to be there and, when a target is
 * given, to name it.
 */
export async function expectAudited(op: Operation, action: AuditAction, target?: string): Promise<AuditEntry> {
  const { items } = await listAudit(op, { limit: NEWEST })
  const found = items.find((entry) => entry.action === action && (target === undefined || entry.target === target))
  if (found !== undefined) return found
  const seen = items.map((entry) => `${entry.action} ${entry.target ?? ''}`).join('\n')
  return expect.fail(`no ${action} ${target ?? ''} among\n${seen}`)
}
