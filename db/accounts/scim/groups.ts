import { DomainError } from '../../../core/kernel/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { ScimDirectory, ScimGroup, ScimKey } from '../../../core/accounts/scim/directory.ts'
import { refuseScim } from '../../../core/accounts/scim/refusal.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { randomSuffix } from '../keys/key-text.ts'
import { lockPeople } from '../members/lock-people.ts'
import { requireRoomForTeam } from '../teams/create-team.ts'
import { leaveTeam } from '../teams/leave-team.ts'
import { joinTeam } from '../teams/team-members.ts'
import { slugOf } from '../teams/team-slug.ts'
import { bindRoles } from './bind-roles.ts'
import type { DirectoryDeps } from './directory-deps.ts'
import { selectPage } from './select-page.ts'

type Groups = Pick<ScimDirectory, 'findGroup' | 'listGroups' | 'createGroup' | 'updateGroup' | 'removeGroup'>

interface GroupRow {
  readonly id: string
  readonly external_id: string | null
  readonly name: string
  readonly created_at: Date
  readonly updated_at: Date
}

const IS_EQUAL: Readonly<Partial<Record<ScimKey, string>>> = {
  id: 'id = $2',
  externalId: 'external_id = $2',
  displayName: 'lower(name) = lower($2)',
}

/**
 * The groups of a tenant's identity provider: teams that it made. Teams that were made by hand are not its business. A
 * group gives the role that the tenant's settings give it, and never that of an owner, whatever it is called. Members and
 * keys are locked before the row of a team, as everywhere.
 */
export function createGroups(deps: DirectoryDeps): Groups {
  const { tx, op, limits } = deps

  const read = async (ids: readonly string[]): Promise<readonly ScimGroup[]> => {
    const rows = await tx.query<GroupRow>(
      `select id, external_id, name, created_at, updated_at from teams
       where tenant_id = $1 and source = 'scim' and id = any($2) order by created_at, id`,
      [op.tenantId, [...ids]],
    )
    const members = await membersOf(deps, ids)
    return rows.map((row) => groupOf(row, members.get(row.id) ?? []))
  }

  const find = async (id: string): Promise<ScimGroup | null> => (await read([id]))[0] ?? null

  const require = async (id: string): Promise<ScimGroup> => {
    const group = await find(id)
    if (group === null) throw new DomainError('not_found', 'no such group')
    return group
  }

  return {
    findGroup: find,

    async listGroups(wanted) {
      const { ids, total } = await selectPage(deps, wanted, {
        table: 'teams',
        where: `source = 'scim'`,
        isEqual: IS_EQUAL,
      })
      return { items: await read(ids), total }
    },

    async createGroup(input) {
      await requireRoomForTeam(tx, op, limits)
      await requireFreeName(deps, input.displayName, null)
      await requireUsers(deps, input.memberIds)
      const id = newId('team')
      await tx.query(
        `insert into teams (id, tenant_id, slug, name, source, external_id, created_at, updated_at)
         values ($1, $2, $3, $4, 'scim', $5, $6, $6)`,
        [id, op.tenantId, await freeSlug(deps, input.displayName), input.displayName, input.externalId, op.now()],
      )
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
      await tx.query('update teams set name = $3, external_id = $4, updated_at = $5 where id = $1 and tenant_id = $2', [
        id,
        op.tenantId,
        input.displayName,
        input.externalId,
        op.now(),
      ])
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
      const keys = await tx.query<{ id: string }>(
        'select id from api_keys where tenant_id = $1 and team_id = $2 and revoked_at is null',
        [op.tenantId, id],
      )
      await tx.query('delete from teams where id = $1 and tenant_id = $2', [id, op.tenantId])
      // Their calls are not put down to the team any more, in no process.
      for (const key of keys) await tx.query(`select pg_notify('svc_keys', $1)`, [key.id])
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
  const rows = await tx.query<{ team_id: string; id: string; display: string }>(
    `select tm.team_id, m.id, coalesce(m.display_name, m.email) as display
     from team_members tm join members m on m.id = tm.member_id
     where tm.tenant_id = $1 and tm.team_id = any($2) order by m.created_at, m.id`,
    [op.tenantId, [...teamIds]],
  )
  return new Map(
    [...Map.groupBy(rows, (row) => row.team_id)].map(([teamId, members]) => [
      teamId,
      members.map(({ id, display }) => ({ id, display })),
    ]),
  )
}

async function requireFreeName({ tx, op }: DirectoryDeps, name: string, own: string | null): Promise<void> {
  const taken = await tx.query(
    `select 1 from teams where tenant_id = $1 and source = 'scim' and lower(name) = lower($2) and id is distinct from $3`,
    [op.tenantId, name, own],
  )
  if (taken.length > 0) throw refuseScim('duplicate', 'uniqueness', 'another group has this displayName')
}

async function requireUsers({ tx, op }: DirectoryDeps, memberIds: readonly string[]): Promise<void> {
  if (memberIds.length === 0) return
  const rows = await tx.query<{ id: string }>(
    `select id from members where tenant_id = $1 and id = any($2) and (state = 'active' or scim is not null)`,
    [op.tenantId, [...memberIds]],
  )
  if (rows.length === memberIds.length) return
  throw refuseScim('invalid_value', 'invalidValue', 'members: one of them is no user of this organisation')
}

async function freeSlug({ tx, op }: DirectoryDeps, name: string): Promise<string> {
  const slug = slugOf(name)
  const taken = await tx.query('select 1 from teams where tenant_id = $1 and slug = $2', [op.tenantId, slug])
  return taken.length === 0 ? slug : `${slug}-${randomSuffix()}`
}

/** Where the tenant gave no roles to groups, these are nobody's business but the tenant's. */
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
