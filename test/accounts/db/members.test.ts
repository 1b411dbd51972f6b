import { expect } from 'chai'
import { newId } from '../../../core/kernel/ids.ts'
import { PLANS } from '../../../core/kernel/tenant/plans.ts'
import { addMember, reactivateMember } from '../../../db/accounts/members/add-member.ts'
import { deactivateMember } from '../../../db/accounts/members/deactivate-member.ts'
import { clampSeats, seatsUsed } from '../../../db/accounts/members/seats.ts'
import { tenantOf, type Operation } from '../../../db/kernel/operation.ts'
import type { Transaction } from '../../../db/kernel/transaction.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { findOwner, givenMember, givenPlan, givenSession } from '../../support/people/given-members.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('members', () => {
  const test = useDatabase()
  const run = async <T>(op: Operation, work: (tx: Transaction) => Promise<T>): Promise<T> =>
    await tenantOf(test.db, op.tenantId).write(work)
  const add = async (op: Operation, email: string) =>
    await run(
      op,
      async (tx) => await addMember(tx, op, { email, role: 'member', source: 'invitation', isEmailVerified: true }),
    )
  const used = async (op: Operation) => await seatsUsed(op, op.tenantId, new Date())
  /** An invitation that is still open. */
  const invite = async (op: Operation) => {
    const id = newId('ivt')
    await sendSql(
      test.db,
      `insert into invitations (id, tenant_id, email, role, token_hash, created_at, expires_at)
       values ($1, $2, $3, 'member', $4, now(), now() + interval '1 day')`,
      [id, op.tenantId, `${id}@example.test`, Buffer.from(id)],
    )
    return id
  }

  it('take the seats of the plan and no more, also when they join at once', async () => {
    const { op, tenant } = await givenTenant(test.db)
    await expectCode('seat_limit', async () => await add(op, 'second@example.test'))
    await givenPlan(test.db, tenant.id, 'teams')
    await invite(op)
    const joining = Array.from({ length: 6 }, async (_, index) => await add(op, `person-${index}@example.test`))
    const joined = (await Promise.allSettled(joining)).filter(({ status }) => status === 'fulfilled')
    // The owner and the open invitation have two of the five.
    expect(joined).to.have.length(3)
    expect(await used(op)).to.equal(PLANS.teams.seats)
    await expectAudited(op, 'member.added')
  })

  it('are one for each address, and come back under the same id', async () => {
    const { op, tenant } = await givenTenant(test.db)
    await givenPlan(test.db, tenant.id, 'teams')
    const member = await add(op, 'again@example.test')
    await expectCode('duplicate', async () => await add(op, 'again@example.test'))
    await run(op, async (tx) => await deactivateMember(tx, op, member.id))
    expect(await used(op)).to.equal(1)
    expect((await add(op, 'again@example.test')).id).to.equal(member.id)
    // Whom SCIM shut out, SCIM lets in.
    await run(op, async (tx) => await deactivateMember(tx, op, member.id))
    await sendSql(test.db, `update members set scim = '{}' where id = $1`, [member.id])
    await expectCode('duplicate', async () => await add(op, 'again@example.test'))
    await run(op, async (tx) => await reactivateMember(tx, op, member.id))
    expect(await used(op)).to.equal(2)
    await expectAudited(op, 'member.reactivated', member.id)
  })

  it('lose their keys and sessions when they are shut out, and the last owner never is', async () => {
    const { op, tenant } = await givenTenant(test.db)
    await givenPlan(test.db, tenant.id, 'teams')
    const member = await givenMember(op, { role: 'admin' })
    const { sessionId } = await givenSession(test.db, member)
    const { keyId } = await givenKey(test.db, { tenantId: tenant.id, scopes: ['run'] })
    await sendSql(test.db, 'update api_keys set member_id = $2 where id = $1', [keyId, member.id])
    const other = await givenTenant(test.db)
    await expectCode(
      'not_found',
      async () => await run(other.op, async (tx) => await deactivateMember(tx, other.op, member.id)),
    )
    await run(op, async (tx) => await deactivateMember(tx, op, member.id))
    const [ended] = await sendSql<{ key: boolean; session: boolean }>(
      test.db,
      `select (select revoked_at is not null from api_keys where id = $1) as key,
         (select closed_at is not null from sessions where id = $2) as session`,
      [keyId, sessionId],
    )
    expect(ended).to.deep.equal({ key: true, session: true })
    await expectAudited(op, 'member.deactivated', member.id)
    const owner = await findOwner(op)
    await expectCode('last_owner', async () => await run(op, async (tx) => await deactivateMember(tx, op, owner.id)))
  })

  it('go when the plan has fewer seats: invitations first, then the newest, the owner never', async () => {
    const { op, tenant } = await givenTenant(test.db)
    await givenPlan(test.db, tenant.id, 'teams')
    const people: string[] = []
    for (const name of ['first', 'second', 'third']) people.push((await add(op, `${name}@example.test`)).id)
    const invitation = await invite(op)
    const clamp = async (seats: number) => await run(op, async (tx) => await clampSeats(tx, op, seats))
    expect(await clamp(5)).to.deep.equal([])
    expect(await clamp(3)).to.deep.equal([invitation, people[2]])
    expect(await clamp(1)).to.have.members(people.slice(0, 2))
    expect(await used(op)).to.equal(1)
  })
})
