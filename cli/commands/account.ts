import { createInterface } from 'node:readline/promises'
import type { ApiClient } from '../client/api-client.ts'
import { createApiClient } from '../client/api-client.ts'
import { JwkSet, PlanList, SignInAnswer, SignUpAnswer } from '../client/documents.ts'
import type { CliContext } from '../context.ts'
import { pinKeys, profilePath } from '../profile.ts'
import { formatTable } from '../terminal/table.ts'
import { usageError } from '../cli-error.ts'

/** `svc signup`: creates a tenant and keeps its key. */
export async function signUp(
  context: CliContext,
  options: { readonly email: string; readonly name?: string; readonly plan: string },
): Promise<void> {
  const guest = await context.guest()
  const { email, name, plan } = options
  const answer = await guest.call('/v1/signup', SignUpAnswer, {
    method: 'POST',
    json: { email, plan, name: name ?? email.split('@')[0] },
  })
  const { tenant, api_key: apiKey } = answer
  await remember(context, guest, { apiKey, tenant: { id: tenant.id, name: tenant.name, plan: tenant.plan } })
  context.output.result(answer, () =>
    [
      `tenant ${tenant.name} (${tenant.id}), plan ${tenant.plan}`,
      `key    ${apiKey}`,
      `       shown this once, and kept in ${profilePath(context.profileDir)}`,
    ].join('\n'),
  )
}

/** `svc login`: checks a key, keeps it, and pins the keys that the server signs with. */
export async function logIn(context: CliContext, options: { readonly key?: string }): Promise<void> {
  const apiKey = options.key ?? (await readKey())
  if (!apiKey.startsWith('ks_')) throw usageError('an API key starts with ks_')
  const client = createApiClient({ url: await context.url(), apiKey })
  const { tenant } = await client.call('/v1/signin', SignInAnswer, { method: 'POST', json: { api_key: apiKey } })
  const pinned = await remember(context, client, { apiKey, tenant })
  context.output.result({ url: client.url, tenant, pinned_keys: pinned }, () =>
    [
      `signed in to ${client.url} as ${tenant.name} (plan ${tenant.plan})`,
      ...pinned.map((kid) => `pinned the signing key ${kid}`),
    ].join('\n'),
  )
}

/** `svc plans`. */
export async function listPlans(context: CliContext): Promise<void> {
  const guest = await context.guest()
  const answer = await guest.call('/v1/plans', PlanList)
  context.output.result(answer, () =>
    formatTable(
      ['plan', 'name', 'USD/month', 'units/month', 'seats'],
      answer.plans.map((plan) => [
        plan.id,
        plan.label,
        String(plan.price_usd_month),
        plan.quota.toLocaleString('en-US'),
        String(plan.seats),
      ]),
    ),
  )
}

/** Keeps key, tenant and server, pins the server's keys, and answers the key ids that the server signs with. */
async function remember(
  context: CliContext,
  client: ApiClient,
  known: { readonly apiKey: string; readonly tenant: { id: string; name: string; plan: string } },
): Promise<string[]> {
  const { keys } = await client.call('/.well-known/jwks.json', JwkSet)
  const profile = await context.profile()
  await context.saveProfile({
    url: client.url,
    api_key: known.apiKey,
    tenant: known.tenant,
    pinned_keys: pinKeys(profile.pinned_keys, keys),
  })
  return keys.map(({ kid }) => kid)
}

async function readKey(): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: process.stdin.isTTY })
  try {
    const { value } = await (process.stdin.isTTY
      ? reader.question('API key: ').then((value) => ({ value }))
      : reader[Symbol.asyncIterator]().next())
    if (typeof value !== 'string' || value.trim() === '') throw usageError('no API key given')
    return value.trim()
  } finally {
    reader.close()
  }
}
