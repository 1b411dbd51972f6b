import { DomainError } from '../../core/errors.ts'
import type { ScimDirectory, ScimUser } from '../../core/identity/scim/directory.ts'
import { refuseScim } from '../../core/identity/scim/refusal.ts'
import type { JsonObject } from '../../core/json.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { addMember, reactivateMember } from '../members/add-member.ts'
import { deactivateMember } from '../members/deactivate-member.ts'
import { MemberEntity, type Member } from '../members/member.ts'
import type { DirectoryDeps } from './directory-deps.ts'
import { readStored, stored, type StoredUser } from './stored-user.ts'

type Users = Pick<ScimDirectory, 'findUser' | 'listUsers' | 'createUser' | 'updateUser' | 'removeUser'>

/**
 * Members whom SCIM sees: all active ones, however they came, and those who were shut out and not deleted. Somebody
 * who was deleted stays as a row that keeps the address together with what it did; SCIM brings them back under the same
 * id by creating them again.
 */
const VISIBLE = { $or: [{ state: 'active' as const }, { scim: { $ne: null } }] }

/** The people of a tenant. Owners are read as all others, and changed by nobody but owners. */
export function createUsers(deps: DirectoryDeps): Users {
  const { tx, op, limits } = deps

  const find = async (id: string): Promise<Member | null> =>
    await tx.em.findOne(MemberEntity, { id, ...VISIBLE }, { refresh: true })

  const present = async (members: readonly Member[]): Promise<readonly ScimUser[]> => {
    const groups = await groupsOf(deps)
    return members.map((member) => userOf(member, groups.get(member.id) ?? []))
  }

  const presentOne = async (id: string): Promise<ScimUser> => {
    const member = await find(id)
    const [user] = member === null ? [] : await present([member])
    if (user === undefined) throw new DomainError('not_found', 'no such user')
    return user
  }

  return {
    async findUser(id) {
      const member = await find(id)
      return member === null ? null : ((await present([member]))[0] ?? null)
    },

    async listUsers() {
      const members = await tx.em.find(MemberEntity, VISIBLE, {
        orderBy: { createdAt: 'asc', id: 'asc' },
        limit: limits.scim_users + 1,
      })
      if (members.length > limits.scim_users) {
        throw refuseScim('invalid_value', 'tooMany', `more than ${limits.scim_users} users`)
      }
      return await present(members)
    },

    async createUser(input) {
      await requireFreeName(deps, input.userName, null)
      const member = await addMember(tx, op, {
        email: input.email,
        displayName: input.displayName ?? undefined,
        role: deps.settings.defaultRole,
        source: 'scim',
        isEmailVerified: false,
        externalId: input.externalId ?? undefined,
        scim: stored(input),
      })
      await recordAudit(tx, op, { action: 'scim.user_created', target: member.id, payload: { active: input.isActive } })
      if (!input.isActive) await deactivateMember(tx, op, member.id)
      return await presentOne(member.id)
    },

    async updateUser(id, input) {
      const member = await find(id)
      if (member === null) throw new DomainError('not_found', 'no such user')
      const wasActive = member.state === 'active'
      const isRenamed = member.email !== input.email
      if (member.role === 'owner' && (isRenamed || !input.isActive)) {
        throw new DomainError('forbidden', 'an owner is renamed and shut out by owners only')
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
      const member = await find(id)
      if (member === null) throw new DomainError('not_found', 'no such user')
      if (member.role === 'owner') throw new DomainError('forbidden', 'an owner is removed by owners only')
      await tx.query('delete from team_members where tenant_id = $1 and member_id = $2', [op.tenantId, id])
      await shutOut(deps, id)
      member.scim = null
      member.updatedAt = op.now()
      await tx.em.flush()
      await recordAudit(tx, op, { action: 'scim.user_deleted', target: id, payload: {} })
    },
  }
}

/** Ends everything that a member could still call with. */
async function shutOut({ tx, op, ended }: DirectoryDeps, memberId: string): Promise<void> {
  await deactivateMember(tx, op, memberId)
  ended.add(memberId)
}

/** Another address is another proof: nobody has verified it yet. */
async function rename({ tx }: DirectoryDeps, member: Member, email: string): Promise<void> {
  if ((await tx.em.count(MemberEntity, { email })) > 0) {
    throw refuseScim('duplicate', 'uniqueness', 'another user has this address')
  }
  member.email = email
  member.isEmailVerified = false
}

/** User names are compared without regard to case (RFC 7643, 4.1.1). */
async function requireFreeName({ tx, op }: DirectoryDeps, userName: string, own: string | null): Promise<void> {
  const taken = await tx.query(
    `select 1 from members
     where tenant_id = $1 and id is distinct from $3 and (state = 'active' or scim is not null)
       and lower(coalesce(scim ->> 'userName', email)) = $2`,
    [op.tenantId, userName.toLowerCase(), own],
  )
  if (taken.length > 0) throw refuseScim('duplicate', 'uniqueness', 'another user has this userName')
}

/** The groups of every member; a tenant has few enough of both. */
async function groupsOf({ tx, op }: DirectoryDeps): Promise<ReadonlyMap<string, ScimUser['groups']>> {
  const rows = await tx.query<{ member_id: string; id: string; name: string }>(
    `select tm.member_id, t.id, t.name from team_members tm join teams t on t.id = tm.team_id
     where tm.tenant_id = $1 and t.source = 'scim' order by t.name`,
    [op.tenantId],
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
