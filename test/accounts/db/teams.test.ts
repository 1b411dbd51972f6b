import { expect } from 'chai'
import type { Member } from '../../../db/accounts/members/member.ts'
import { removeMember } from '../../../db/accounts/members/change-role.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { storeProviderKey } from '../../../db/gateway/provider-keys/store-provider-key.ts'
import { createTeam } from '../../../db/accounts/teams/create-team.ts'
import { keysToRotate } from '../../../db/gateway/provider-keys/keys-to-rotate.ts'
import { joinTeam, removeTeamMember } from '../../../db/accounts/teams/team-members.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { findOwner, givenMember, givenPlan } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant, limits } from '../../support/db/given.ts'

describe('provider keys of teams', () => {
  const test = useDatabase()
  let op: Operation
  let owner: Member
  let teamId: string
  beforeEach(async () => {
    const tenant = await givenTenant(test.db)
    await givenPlan(test.db, tenant.tenant.id, 'teams')
    op = tenant.op
    owner = await findOwner(op)
    teamId = await createTeam(op, { name: 'Research', callerId: owner.id, limits: limits() })
  })
  const givenTeammate = async (): Promise<Member> => {
    const member = await givenMember(op, { role: 'member' })
    await op.write(async (tx) => {
      await joinTeam(tx, op, { teamId, memberId: member.id, role: 'member' })
    })
    return member
  }
  const share = async (value: string): Promise<string> =>
    (
      await storeProviderKey(op, {
        provider: 'openai',
        value,
        label: null,
        teamId,
        memberId: owner.id,
        limits: limits(),
      })
    ).id

  it('are to be rotated when a member leaves the team, until they are', async () => {
    const member = await givenTeammate()
    const keyId = await share('sk-first-value')
    expect(await keysToRotate(op)).to.deep.equal([])
    await removeTeamMember(op, { teamId, callerId: owner.id, memberId: member.id })
    const [due] = await keysToRotate(op)
    expect(due).to.include({ keyId, provider: 'openai', teamId, teamSlug: 'research' })
    await new Promise((resolve) => setTimeout(resolve, 5))
    await share('sk-second-value')
    expect(await keysToRotate(op)).to.deep.equal([])
    await expectCode('not_found', async () => {
      await removeTeamMember(op, { teamId, callerId: owner.id, memberId: member.id })
    })
  })

  it('are to be rotated when a member of the team is removed from the organisation', async () => {
    const member = await givenTeammate()
    const keyId = await share('sk-first-value')
    await removeMember(op, { orgId: op.tenantId, callerId: owner.id, memberId: member.id })
    expect((await keysToRotate(op)).map((key) => key.keyId)).to.deep.equal([keyId])
    const stranger = await givenTenant(test.db)
    expect(await keysToRotate(stranger.op)).to.deep.equal([])
  })
})
