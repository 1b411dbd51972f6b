import { sql, type RawBuilder } from 'kysely'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { ScimDirectory, ScimKey, ScimUser } from '../../../core/accounts/scim/directory.ts'
import { refuseScim } from '../../../core/accounts/scim/refusal.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { addMember, reactivateMember } from '../members/add-member.ts'
import { deactivateMember } from '../members/deactivate-member.ts'
import { lockPeople } from '../members/lock-people.ts'
import { lockSeats } from '../members/lock-seats.ts'
import { MemberEntity, type Member } from '../members/member.ts'
import { unpinPeople } from '../sso/pinned-people.ts'
import { leaveTeam } from '../teams/leave-team.ts'
import type { DirectoryDeps } from './directory-deps.ts'
import { selectPage } from './select-page.ts'
import { IS_VISIBLE, readStored, stored, type StoredUser } from './stored-user.ts'

type Users = Pick<ScimDirectory, 'findUser' | 'listUsers' | 'createUser' | 'updateUser' | 'removeUser'>

/**
 * Members that SCIM sees: all active ones, whatever their origin, and deactivated ones that are not deleted. A deleted
 * person stays as a row that keeps the address with their past actions; SCIM restores them under the same id by
 * creating them again.
 */
const VISIBLE = { $or: [{ state: 'active' as const }, { scim: { $ne: null } }] }

/** Compares SCIM's value of an attribute with a value. */
const IS_EQUAL = {
  id: (value) => sql`id = ${value}`,
  // User names are compared without regard to case (RFC 7643, 4.1.1).
  userName: (value) => sql`lower(coalesce(scim ->> 'userName', email)) = lower(${value})`,
  externalId: (value) => sql`external_id = ${value}`,
  displayName: (value) =>
    sql`lower(case when scim is null then display_name else scim -> 'attributes' ->> 'displayName' end) = lower(${value})`,
} as const satisfies Readonly<Record<ScimKey, (value: string) => RawBuilder<boolean>>>

/** The people of a tenant. SCIM reads owners like everyone else; only owners change them. */
export function createUsers(deps: DirectoryDeps): Users {
  const { tx, op } = deps

  const find = async (id: string): Promise<Member | null> =>
    await tx.em.findOne(MemberEntity, { id, ...VISIBLE }, { refresh: true })

  const present = async (members: readonly Member[]): Promise<readonly ScimUser[]> => {
    const groups = await groupsOf(
      deps,
      members.map(({ id }) => id),
    )
    return members.map((member) => userOf(member, groups.get(member.id) ?? []))
  }

  const presentOne = async (id: string): Promise<ScimUser> => {
    const member = await find(id)
    const [user] = member === null ? [] : await present([member])
    if (user === undefined) throw KERNEL_ERRORS.not_found('no such user')
    return user
  }

  return {
    async findUser(id) {
      const member = await find(id)
      return member === null ? null : ((await present([member]))[0] ?? null)
    },

    async listUsers(wanted) {
      const { ids, total } = await selectPage(deps, wanted, {
        table: 'members',
        where: IS_VISIBLE,
        isEqual: IS_EQUAL,
      })
      const members = await tx.em.find(
        MemberEntity,
        { id: { $in: [...ids] } },
        { orderBy: { createdAt: 'asc', id: 'asc' } },
      )
      return { items: await present(members), total }
    },

    async createUser(input) {
      await requireRoomForUser(deps)
      await requireFreeName(deps, input.userName, null)
      const member = await addMember(tx, op, {
        email: input.email,
        displayName: input.displayName ?? undefined,
        role: deps.settings.defaultRole,
        source: 'scim',
        isEmailVerified: false,
        isActive: input.isActive,
        externalId: input.externalId ?? undefined,
        scim: stored(input),
      })
      await recordAudit(tx, op, { action: 'scim.user_created', target: member.id, payload: { active: input.isActive } })
      return await presentOne(member.id)
    },

    async updateUser(id, input) {
      const member = await find(id)
      if (member === null) throw KERNEL_ERRORS.not_found('no such user')
      const wasActive = member.state === 'active'
      const isRenamed = member.email !== input.email
      if (member.role === 'owner' && (isRenamed || !input.isActive)) {
        throw ACCOUNTS_ERRORS.forbidden('only an owner can rename or deactivate an owner')
      }
      await requireFreeName(deps, input.userName, id)
      if (isRenamed) await rename(deps, member, input.email)
      member.externalId = input.externalId
      member.displayName = input.displayName
      member.scim = stored(input)
      member.updatedAt = op.now()
      await tx.em.flush()
      await recordAudit(tx, op, {
        action: 'scim.user_updated',
        target: id,
        payload: { active: input.isActive, was_active: wasActive, is_renamed: isRenamed },
      })
      if (wasActive && !input.isActive) await shutOut(deps, id)
      if (!wasActive && input.isActive) await reactivateMember(tx, op, id)
      return await presentOne(id)
    },

    async removeUser(id) {
      await lockPeople(tx, op.tenantId)
      const member = await find(id)
      if (member === null) throw KERNEL_ERRORS.not_found('no such user')
      if (member.role === 'owner') throw ACCOUNTS_ERRORS.forbidden('only an owner can remove an owner')
      const teams = await tx.read((q) =>
        q
          .selectFrom('team_members')
          .select('team_id as id')
          .where('tenant_id', '=', op.tenantId)
          .where('member_id', '=', id)
          .orderBy('team_id'),
      )
      for (const team of teams) await leaveTeam(tx, op, { teamId: team.id, memberIds: [id] })
      await shutOut(deps, id)
      await unpinPeople(tx, op, { protocols: ['saml', 'oidc'], memberId: id })
      member.scim = null
      member.updatedAt = op.now()
      await tx.em.flush()
      await recordAudit(tx, op, { action: 'scim.user_deleted', target: id, payload: {} })
    },
  }
}

/** Ends all credentials of a member. */
async function shutOut({ tx, op, ended }: DirectoryDeps, memberId: string): Promise<void> {
  await deactivateMember(tx, op, memberId)
  ended.add(memberId)
}

/** A changed address is unverified. */
async function rename({ tx, op }: DirectoryDeps, member: Member, email: string): Promise<void> {
  // Joining takes an address under the same lock.
  await lockSeats(tx, op.tenantId)
  if ((await tx.em.count(MemberEntity, { email })) > 0) {
    throw refuseScim(ACCOUNTS_ERRORS.duplicate, 'uniqueness', 'another user has this address')
  }
  member.email = email
  member.isEmailVerified = false
}

/** Deactivated ones count too: lists are scanned as a whole. Calls that change a directory run one after another. */
async function requireRoomForUser({ tx, op, limits }: DirectoryDeps): Promise<void> {
  const [row] = await tx.read((q) =>
    q
      .selectFrom('members')
      .select(q.fn.countAll<number>().as('users'))
      .where('tenant_id', '=', op.tenantId)
      .where(IS_VISIBLE),
  )
  if ((row?.users ?? 0) < limits.scim_users) return
  throw ACCOUNTS_ERRORS.limit_reached(`there are ${limits.scim_users} users already; delete one first`, {
    details: { max: limits.scim_users },
  })
}

async function requireFreeName({ tx, op }: DirectoryDeps, userName: string, own: string | null): Promise<void> {
  const taken = await tx.read((q) =>
    q
      .selectFrom('members')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where(IS_VISIBLE)
      .where(IS_EQUAL.userName(userName))
      .$if(own !== null, (all) => all.where('id', '!=', own ?? '')),
  )
  if (taken.length > 0) throw refuseScim(ACCOUNTS_ERRORS.duplicate, 'uniqueness', 'another user has this userName')
}

async function groupsOf(
  { tx, op }: DirectoryDeps,
  memberIds: readonly string[],
): Promise<ReadonlyMap<string, ScimUser['groups']>> {
  const rows = await tx.read((q) =>
    q
      .selectFrom('team_members as tm')
      .innerJoin('teams as t', 't.id', 'tm.team_id')
      .select(['tm.member_id', 't.id', 't.name'])
      .where('tm.tenant_id', '=', op.tenantId)
      .where(sql<boolean>`tm.member_id = any(${[...memberIds]})`)
      .where('t.source', '=', 'scim')
      .orderBy('t.name')
      .orderBy('t.id'),
  )
  return new Map(
    [...Map.groupBy(rows, (row) => row.member_id)].map(([memberId, teams]) => [
      memberId,
      teams.map(({ id, name }) => ({ id, displayName: name })),
    ]),
  )
}

function userOf(member: Member, groups: ScimUser['groups']): ScimUser {
  const known: StoredUser = readStored(member.scim ?? null)
  const attributes: JsonObject = known.attributes ?? {
    ...(typeof member.displayName === 'string' && { displayName: member.displayName }),
    emails: [{ value: member.email, type: 'work', primary: true }],
  }
  return {
    id: member.id,
    externalId: member.externalId ?? null,
    userName: known.userName ?? member.email,
    isActive: member.state === 'active',
    attributes,
    groups,
    createdAt: member.createdAt,
    updatedAt: member.updatedAt,
  }
}
