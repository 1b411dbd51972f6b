import type { Command } from 'commander'
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

/** `svc org …`: the organisation of the key. */
export function addOrgCommands(program: Command, context: () => CliContext): void {
  const org = program.command('org').description('show and rename the organisation')
  org
    .command('show')
    .description('show its name, plan and seats, and your role')
    .action(async () => await showOrg(context()))
  org
    .command('rename')
    .description('give it another name; needs the role admin')
    .argument('<name>', '3 to 63 lower-case letters, digits and hyphens')
    .action(async (name: string) => await renameOrg(context(), name))
}

async function showOrg(context: CliContext): Promise<void> {
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
async function renameOrg(context: CliContext, name: string): Promise<void> {
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
