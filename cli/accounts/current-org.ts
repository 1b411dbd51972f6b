import type { z } from 'zod'
import {
  ChangeOrgAnswer,
  type ChangeOrgBody,
  GetOrgAnswer,
  ListOrgsAnswer,
} from '../../core/accounts/wire/orgs/orgs.ts'
import { CliError } from '../cli-error.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliContext } from '../context.ts'
import { formatFacts, formatTime, plainText } from '../terminal/table.ts'

/** `svc org show`. */
export async function showOrg(context: CliContext): Promise<void> {
  const client = await context.client()
  const { org } = await client.call(`/v1/orgs/${await currentOrg(client)}`, GetOrgAnswer)
  context.output.result({ org }, () =>
    formatFacts([
      ['name', plainText(org.name)],
      ['id', org.id],
      ['plan', org.plan],
      ['seats', `${org.seats_used} of ${org.seats_max}`],
      ['your role', org.role],
      ['since', formatTime(org.created_at)],
    ]),
  )
}

/** Renames the organisation, and the tenant in the profile if it is the same. */
export async function renameOrg(context: CliContext, name: string): Promise<void> {
  const client = await context.client()
  const json = { name } satisfies z.input<typeof ChangeOrgBody>
  const path = `/v1/orgs/${await currentOrg(client)}`
  const { org } = await client.call(path, ChangeOrgAnswer, { method: 'PATCH', json })
  const profile = await context.profile()
  if (profile.tenant?.id === org.id) {
    await context.saveProfile({ ...profile, tenant: { ...profile.tenant, name: org.name } })
  }
  context.output.result({ org }, () => `The organisation is now called ${plainText(org.name)}.`)
}

async function currentOrg(client: ApiClient): Promise<string> {
  const { orgs } = await client.call('/v1/orgs', ListOrgsAnswer)
  const current = orgs.find(({ is_current: isCurrent }) => isCurrent)
  if (current !== undefined) return current.id
  throw new CliError('a workspace without an account has no organisation: svc signup creates an account', {
    code: 'no_organisation',
  })
}
