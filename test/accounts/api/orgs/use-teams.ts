import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Role } from '../../../../core/accounts/roles.ts'
import type { Member } from '../../../../db/accounts/members/member.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { givenMember, givenPlan, givenSession, setUpOperation } from '../../../support/people/given-members.ts'

/** A new address. */
export const newEmail = (): string => `${randomBytes(8).toString('hex')}@example.test`

/** The status and the code of an answer. */
export const seen = ({ status, body }: Answer): readonly unknown[] => [status, body.code]

/** An API whose tenants may have teams of up to four, and what tests of teams begin with. */
export function useTeams() {
  const limits = { invites_per_ip_15min: 100_000, teams_per_tenant: 4 }
  const api = useApi({ settings: { isMailConfigured: true }, limits })
  const db = () => api.server.services.db
  const givenOrg = async (): Promise<ApiTenant> => {
    const tenant = await givenApiTenant(api)
    await givenPlan(db(), tenant.id, 'teams')
    return tenant
  }
  const op = (tenant: ApiTenant) => setUpOperation(db(), tenant.id)
  const person = async (
    tenant: ApiTenant,
    role: Role,
  ): Promise<{ member: Member; headers: Record<string, string> }> => {
    const member = await givenMember(op(tenant), { role })
    return { member, headers: { ...(await givenSession(db(), member)).headers } }
  }
  const givenTeam = async (tenant: ApiTenant, name = 'Research'): Promise<string> => {
    const made = await api.call('POST', '/v1/teams', { key: tenant.key, body: { name } })
    expect(made.status, made.text).to.equal(201)
    return made.body.team.id
  }
  const invite = async (tenant: ApiTenant, teamId: string, body: object): Promise<Answer> =>
    await api.call('POST', `/v1/teams/${teamId}/invite`, { key: tenant.key, body })
  return { api, db, givenOrg, op, person, givenTeam, invite }
}
