import { roleOfGroups, type SsoSettings } from '../../../core/accounts/sso-settings.ts'
import { lockSeats } from '../members/lock-seats.ts'
import { setRole } from '../members/set-role.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** Gives members the role of the groups that they are in now, and never takes an owner's. */
export async function bindRoles(
  tx: Transaction,
  op: Operation,
  { settings, memberIds }: { readonly settings: SsoSettings; readonly memberIds: readonly string[] },
): Promise<void> {
  if (memberIds.length === 0) return
  // Owners are made under this lock.
  await lockSeats(tx, op.tenantId)
  const members = await tx.query<{ id: string; groups: readonly string[] }>(
    `select m.id, coalesce(array_agg(t.name) filter (where t.source = 'scim'), '{}') as groups
     from members m
       left join team_members tm on tm.member_id = m.id
       left join teams t on t.id = tm.team_id
     where m.tenant_id = $1 and m.id = any($2) and m.role <> 'owner'
     group by m.id order by m.id`,
    [op.tenantId, [...memberIds]],
  )
  for (const { id, groups } of members) {
    await setRole(tx, op, { memberId: id, role: roleOfGroups(settings, groups) })
  }
}

/** The same for those in groups whose role the settings have just changed: no right outlives the line that gave it. */
export async function rebindRoles(
  tx: Transaction,
  op: Operation,
  { before, next }: { readonly before: SsoSettings; readonly next: SsoSettings },
): Promise<void> {
  const named = [...new Set([...Object.keys(before.groupRoles), ...Object.keys(next.groupRoles)])]
  const changed = named.filter((group) => roleOfGroups(before, [group]) !== roleOfGroups(next, [group]))
  if (changed.length === 0) return
  const members = await tx.query<{ id: string }>(
    `select distinct tm.member_id as id from team_members tm join teams t on t.id = tm.team_id
     where tm.tenant_id = $1 and t.source = 'scim' and t.name = any($2)`,
    [op.tenantId, changed],
  )
  await bindRoles(tx, op, { settings: next, memberIds: members.map(({ id }) => id) })
}
