import { sql } from 'kysely'
import { roleOfGroups, type SsoSettings } from '../../../core/accounts/sign-in/sso-settings.ts'
import { lockSeats } from '../members/lock-seats.ts'
import { setRole } from '../members/set-role.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** Gives members the role of their current groups; never changes an owner's. */
export async function bindRoles(
  tx: Transaction,
  op: Operation,
  { settings, memberIds }: { readonly settings: SsoSettings; readonly memberIds: readonly string[] },
): Promise<void> {
  if (memberIds.length === 0) return
  // Owners are made under this lock.
  await lockSeats(tx, op.tenantId)
  const members = await tx.read((q) =>
    q
      .selectFrom('members as m')
      .leftJoin('team_members as tm', 'tm.member_id', 'm.id')
      .leftJoin('teams as t', 't.id', 'tm.team_id')
      .select([
        'm.id',
        sql<readonly string[]>`coalesce(array_agg(t.name) filter (where t.source = 'scim'), '{}')`.as('groups'),
      ])
      .where('m.tenant_id', '=', op.tenantId)
      .where(sql<boolean>`m.id = any(${[...memberIds]})`)
      .where('m.role', '!=', 'owner')
      .groupBy('m.id')
      .orderBy('m.id'),
  )
  for (const { id, groups } of members) {
    await setRole(tx, op, { memberId: id, role: roleOfGroups(settings, groups) })
  }
}

/**
 * The same for members of groups whose role the settings have just changed: no right outlives the setting that gave it.
 */
export async function rebindRoles(
  tx: Transaction,
  op: Operation,
  { before, next }: { readonly before: SsoSettings; readonly next: SsoSettings },
): Promise<void> {
  const named = [...new Set([...Object.keys(before.groupRoles), ...Object.keys(next.groupRoles)])]
  const changed = named.filter((group) => roleOfGroups(before, [group]) !== roleOfGroups(next, [group]))
  if (changed.length === 0) return
  const members = await tx.read((q) =>
    q
      .selectFrom('team_members as tm')
      .innerJoin('teams as t', 't.id', 'tm.team_id')
      .select('tm.member_id as id')
      .distinct()
      .where('tm.tenant_id', '=', op.tenantId)
      .where('t.source', '=', 'scim')
      .where(sql<boolean>`t.name = any(${changed})`),
  )
  await bindRoles(tx, op, { settings: next, memberIds: members.map(({ id }) => id) })
}
