import type { Database } from '../../kernel/database.ts'
import type { Reader, Reading, RowsOf } from '../../kernel/queries/read.ts'
import { service } from '../../kernel/queries/service.ts'
import type { Reads } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** Returns true for a team of another tenant: that one is forbidden, while an unused id is unknown. */
export async function isTeamOfOthers(from: Reader, db: Database, teamId: string): Promise<boolean> {
  const found = await readAcross(from, db, 'a team of others is forbidden, not unknown', (q) =>
    q.selectFrom('teams').select('id').where('id', '=', teamId),
  )
  return found.length > 0
}

/** Returns true for another organisation: that one is forbidden, while an unused id is unknown. */
export async function isOrgOfOthers(from: Reader, db: Database, orgId: string): Promise<boolean> {
  const found = await readAcross(from, db, 'another organisation is forbidden, not unknown', (q) =>
    q
      .selectFrom('tenants')
      .select('id')
      .where('id', '=', orgId)
      .where('kind', '=', 'user')
      .where('deleted_at', 'is', null),
  )
  return found.length > 0
}

/** Returns true when another tenant has verified the address: one verified address is one tenant. */
export async function isVerifiedByOthers(
  tx: Transaction,
  input: { readonly tenantId: string; readonly email: string },
): Promise<boolean> {
  const found = await service.within(tx, 'one verified address is one tenant', (q) =>
    q
      .selectFrom('tenants')
      .select('id')
      .where('email', '=', input.email)
      .where('id', '!=', input.tenantId)
      .where('is_email_verified', '=', true)
      .where('deleted_at', 'is', null)
      .limit(1),
  )
  return found.length > 0
}

/** Reads in the transaction `from`, or on a separate connection when it is not one. */
async function readAcross<const R extends Reading>(
  from: Reader,
  db: Database,
  why: string,
  build: (q: Reads) => R,
): Promise<RowsOf<R>> {
  return isTransaction(from) ? await service.within(from, why, build) : await service.read(db, why, build)
}

function isTransaction(from: Reader): from is Transaction {
  return 'em' in from
}
