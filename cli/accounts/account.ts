import type { z } from 'zod'
import { JwkSet, type PublicJwk } from '../../core/ledger/keys/jwk.ts'
import { createInterface } from 'node:readline/promises'
import { SignInAnswer, type SignInBody } from '../../core/accounts/wire/identity/sessions.ts'
import { SignUpAnswer, type SignUpBody } from '../../core/accounts/wire/identity/signup.ts'
import { createApiClient, readAnswer, type ApiClient } from '../client/api-client.ts'
import type { CliContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { pinKeys, profilePath, type Profile } from '../profile.ts'
import { CliError, usageError } from '../cli-error.ts'

type SignUp = z.input<typeof SignUpBody>

/**
 * `svc signup`: creates a tenant and keeps its key. A key that the profile holds already is replaced only with `force`:
 * the service shows a key once, so a replaced one may be lost.
 */
export async function signUp(
  context: CliContext,
  options: Pick<SignUp, 'email' | 'name' | 'plan'> & { readonly force?: boolean },
): Promise<void> {
  const profile = await context.profile()
  if (profile.api_key !== undefined && options.force !== true) throw keyExists(profile, context.profileDir)
  const guest = await context.guest()
  // Done first: a created key that could not be stored would be lost.
  const keys = await fetchKeys(guest)
  const { email, name, plan } = options
  const answer = await guest.call('/v1/signup', SignUpAnswer, {
    method: 'POST',
    json: { email, plan, name: name ?? email.split('@')[0] } satisfies SignUp,
  })
  const { tenant, api_key: apiKey } = answer
  await remember(context, guest, { apiKey, keys, tenant: { id: tenant.id, name: tenant.name, plan: tenant.plan } })
  context.output.result(answer, () =>
    [
      `tenant ${tenant.name} (${tenant.id}), plan ${tenant.plan}`,
      `key    ${apiKey}`,
      `       shown only once, and stored in ${profilePath(context.profileDir)}`,
      ...(tenant.plan === plan
        ? []
        : [
            `The account is on plan ${tenant.plan}: plan ${plan} starts when it is paid for, in the console (svc open).`,
          ]),
    ].join('\n'),
  )
}

/** `svc login`: checks a key, keeps it, and pins the keys that the server signs with. */
export async function logIn(context: CliContext, options: { readonly key?: string }): Promise<void> {
  const apiKey = options.key ?? (await readKey())
  if (!apiKey.startsWith('ks_')) throw usageError('an API key starts with ks_')
  const client = createApiClient({ url: await context.url(), apiKey })
  const tenant = await checkKey(context, client, apiKey)
  const keys = await fetchKeys(client)
  await remember(context, client, { apiKey, keys, tenant })
  context.output.result({ url: client.url, tenant, pinned_keys: keys.map(({ kid }) => kid) }, () =>
    [
      `signed in to ${client.url} as ${tenant.name} (plan ${tenant.plan})`,
      ...keys.map(({ kid }) => `pinned the signing key ${kid}`),
    ].join('\n'),
  )
}

/** `svc logout`: removes key and tenant from the profile. The server's address and the pinned keys stay. */
export async function logOut(context: CliContext): Promise<void> {
  const { api_key: apiKey, tenant, ...kept } = await context.profile()
  if (apiKey !== undefined) await context.saveProfile(kept)
  const owner = tenant === undefined ? '' : ` of ${tenant.name}`
  context.output.result({ logged_out: apiKey !== undefined }, () =>
    apiKey === undefined
      ? 'no key is stored'
      : `removed the key${owner} from ${profilePath(context.profileDir)}\nThe key stays valid: svc keys revoke ends one.`,
  )
}

/**
 * Returns the tenant of a key, whatever its scopes. Opens a session, which expires unused, since its cookie is dropped.
 */
async function checkKey(
  context: CliContext,
  client: ApiClient,
  apiKey: string,
): Promise<z.input<typeof SignInAnswer>['tenant']> {
  const response = await client.open('/v1/signin', {
    method: 'POST',
    json: { api_key: apiKey } satisfies z.input<typeof SignInBody>,
  })
  const { tenant } = await readAnswer(response, SignInAnswer)
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  try {
    await client.open('/v1/session/logout', { method: 'POST', headers: { cookie } })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    context.output.warn(`the session that checked the key stays open until it expires: ${reason}`)
  }
  return tenant
}

/** The public keys that the server signs with. */
async function fetchKeys(client: ApiClient): Promise<readonly PublicJwk[]> {
  return (await client.call('/.well-known/jwks.json', JwkSet)).keys
}

/** Keeps key, tenant and server, and pins the server's keys. */
async function remember(
  context: CliContext,
  client: ApiClient,
  known: {
    readonly apiKey: string
    readonly keys: readonly PublicJwk[]
    readonly tenant: { id: string; name: string; plan: string }
  },
): Promise<void> {
  const profile = await context.profile()
  await context.saveProfile({
    url: client.url,
    api_key: known.apiKey,
    tenant: known.tenant,
    pinned_keys: pinKeys(profile.pinned_keys, known.keys),
  })
}

function keyExists({ tenant, url }: Profile, profileDir: string): CliError {
  const owner = tenant === undefined ? 'a key' : `the key of ${tenant.name}`
  const message =
    `${profilePath(profileDir)} holds ${owner}${url === undefined ? '' : ` at ${url}`} already.\n` +
    '  Keep a copy of it if it is still needed, then use --force; or name another folder with XDG_CONFIG_HOME.'
  return new CliError(message, { exitCode: EXIT.usage, code: 'key_exists' })
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
