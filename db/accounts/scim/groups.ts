import { sql, type RawBuilder } from 'kysely'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { ScimDirectory, ScimGroup, ScimKey } from '../../../core/accounts/scim/directory.ts'
import { refuseScim } from '../../../core/accounts/scim/refusal.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { randomSuffix } from '../keys/key-text.ts'
import { lockPeople } from '../members/lock-people.ts'
import { requireRoomForTeam } from '../teams/create-team.ts'
import { dropTeam } from '../teams/drop-team.ts'
import { leaveTeam } from '../teams/leave-team.ts'
import { joinTeam } from '../teams/team-members.ts'
import { slugOf } from '../teams/team-slug.ts'
import { bindRoles } from './bind-roles.ts'
import type { DirectoryDeps } from './directory-deps.ts'
import { selectPage } from './select-page.ts'
import { IS_VISIBLE } from './stored-user.ts'

type Groups = Pick<ScimDirectory, 'findGroup' | 'listGroups' | 'createGroup' | 'updateGroup' | 'removeGroup'>

interface GroupRow {
  readonly id: string
  readonly external_id: string | null
  readonly name: string
  readonly created_at: Date
  readonly updated_at: Date
}

const IS_EQUAL = {
  id: (value) => sql`id = ${value}`,
  externalId: (value) => sql`external_id = ${value}`,
  displayName: (value) => sql`lower(name) = lower(${value})`,
} as const satisfies Readonly<Partial<Record<ScimKey, (value: string) => RawBuilder<boolean>>>>

/**
 * The groups of a tenant's identity provider: teams that it made. Teams made by hand are outside its reach. A group
 * gives the role in the tenant's settings, and never that of an owner, whatever its name. Members and keys are locked
 * before the row of a team, as everywhere.
 */
export function createGroups(deps: DirectoryDeps): Groups {
  const { tx, op, limits } = deps

  const read = async (ids: readonly string[]): Promise<readonly ScimGroup[]> => {
    const rows = await tx.read((q) =>
      q
        .selectFrom('teams')
        .select(['id', 'external_id', 'name', 'created_at', 'updated_at'])
        .where('tenant_id', '=', op.tenantId)
        .where('source', '=', 'scim')
        .where(sql<boolean>`id = any(${[...ids]})`)
        .orderBy('created_at')
        .orderBy('id'),
    )
    const members = await membersOf(deps, ids)
    return rows.map((row) => groupOf(row, members.get(row.id) ?? []))
  }

  const find = async (id: string): Promise<ScimGroup | null> => (await read([id]))[0] ?? null

  const require = async (id: string): Promise<ScimGroup> => {
    const group = await find(id)
    if (group === null) throw KERNEL_ERRORS.not_found('no such group')
    return group
  }

  return {
    findGroup: find,

    async listGroups(wanted) {
      const { ids, total } = await selectPage(deps, wanted, {
        table: 'teams',
        where: sql`source = 'scim'`,
        isEqual: IS_EQUAL,
      })
      return { items: await read(ids), total }
    },

    async createGroup(input) {
      await requireRoomForTeam(tx, op, limits)
      await requireFreeName(deps, input.displayName, null)
      await requireUsers(deps, input.memberIds)
      const id = newId('team')
      const slug = await freeSlug(deps, input.displayName)
      const now = op.now()
      await tx.q
        .insertInto('teams')
        .values({
          id,
          tenant_id: op.tenantId,
          slug,
          name: input.displayName,
          source: 'scim',
          external_id: input.externalId,
          created_at: now,
          updated_at: now,
        })
        .execute()
      for (const memberId of input.memberIds) await joinTeam(tx, op, { teamId: id, memberId, role: 'member' })
      await recordAudit(tx, op, {
        action: 'scim.group_created',
        target: id,
        payload: { name: input.displayName, members: input.memberIds.length },
      })
      await bindRolesOf(deps, input.memberIds)
      return await require(id)
    },

    async updateGroup(id, input) {
      await lockPeople(tx, op.tenantId)
      const before = await require(id)
      await requireFreeName(deps, input.displayName, id)
      const current = before.members.map((member) => member.id)
      const joining = input.memberIds.filter((memberId) => !current.includes(memberId))
      const leaving = current.filter((memberId) => !input.memberIds.includes(memberId))
      await requireUsers(deps, joining)
      await tx.q
        .updateTable('teams')
        .set({ name: input.displayName, external_id: input.externalId, updated_at: op.now() })
        .where('id', '=', id)
        .where('tenant_id', '=', op.tenantId)
        .execute()
      for (const memberId of joining) await joinTeam(tx, op, { teamId: id, memberId, role: 'member' })
      await leaveTeam(tx, op, { teamId: id, memberIds: leaving })
      await recordAudit(tx, op, {
        action: 'scim.group_updated',
        target: id,
        payload: { joined: joining.length, left: leaving.length, is_renamed: before.displayName !== input.displayName },
      })
      // A group of another name may give another role.
      const isRenamed = before.displayName !== input.displayName
      await bindRolesOf(deps, isRenamed ? [...input.memberIds, ...leaving] : [...joining, ...leaving])
      return await require(id)
    },

    async removeGroup(id) {
      await lockPeople(tx, op.tenantId)
      const group = await require(id)
      await dropTeam(tx, op, id)
      await recordAudit(tx, op, {
        action: 'scim.group_deleted',
        target: id,
        payload: { name: group.displayName, members: group.members.length },
      })
      await bindRolesOf(
        deps,
        group.members.map((member) => member.id),
      )
    },
  }
}

async function membersOf(
  { tx, op }: DirectoryDeps,
  teamIds: readonly string[],
): Promise<ReadonlyMap<string, ScimGroup['members']>> {
  const rows = await tx.read((q) =>
    q
      .selectFrom('team_members as tm')
      .innerJoin('members as m', 'm.id', 'tm.member_id')
      .select((of) => ['tm.team_id', 'm.id', of.fn.coalesce('m.display_name', 'm.email').as('display')])
      .where('tm.tenant_id', '=', op.tenantId)
      .where(sql<boolean>`tm.team_id = any(${[...teamIds]})`)
      .orderBy('m.created_at')
      .orderBy('m.id'),
  )
  return new Map(
    [...Map.groupBy(rows, (row) => row.team_id)].map(([teamId, members]) => [
      teamId,
      members.map(({ id, display }) => ({ id, display })),
    ]),
  )
}

async function requireFreeName({ tx, op }: DirectoryDeps, name: string, own: string | null): Promise<void> {
  const taken = await tx.read((q) =>
    q
      .selectFrom('teams')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('source', '=', 'scim')
      .where(IS_EQUAL.displayName(name))
      .$if(own !== null, (all) => all.where('id', '!=', own ?? '')),
  )
  if (taken.length > 0) throw refuseScim(ACCOUNTS_ERRORS.duplicate, 'uniqueness', 'another group has this displayName')
}

async function requireUsers({ tx, op }: DirectoryDeps, memberIds: readonly string[]): Promise<void> {
  if (memberIds.length === 0) return
  const rows = await tx.read((q) =>
    q
      .selectFrom('members')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where(sql<boolean>`id = any(${[...memberIds]})`)
      .where(IS_VISIBLE),
  )
  if (rows.length === memberIds.length) return
  throw refuseScim(
    ACCOUNTS_ERRORS.invalid_value,
    'invalidValue',
    'members: one of them is no user of this organisation',
  )
}

async function freeSlug({ tx, op }: DirectoryDeps, name: string): Promise<string> {
  const slug = slugOf(name)
  const taken = await tx.read((q) =>
    q.selectFrom('teams').select('id').where('tenant_id', '=', op.tenantId).where('slug', '=', slug),
  )
  return taken.length === 0 ? slug : `${slug}-${randomSuffix()}`
}

/** Without group roles in the tenant's settings, only the tenant itself assigns roles. */
async function bindRolesOf({ tx, op, settings }: DirectoryDeps, memberIds: readonly string[]): Promise<void> {
  if (Object.keys(settings.groupRoles).length > 0) await bindRoles(tx, op, { settings, memberIds })
}

function groupOf(row: GroupRow, members: ScimGroup['members']): ScimGroup {
  return {
    id: row.id,
    externalId: row.external_id,
    displayName: row.name,
    members,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
