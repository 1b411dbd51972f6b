import type { z } from 'zod'
import { createInterface } from 'node:readline/promises'
import { SignInAnswer, type SignInBody } from '../../core/accounts/wire/identity/sessions.ts'
import { SignUpAnswer, type SignUpBody } from '../../core/accounts/wire/identity/signup.ts'
import { createApiClient, readAnswer, type ApiClient } from '../client/api-client.ts'
import type { CliContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { profilePath, type Profile } from '../client/profile.ts'
import { CliError, usageError } from '../cli-error.ts'
import { fetchKeys, rememberKey } from './remember-key.ts'
import { claimWorkspace, isWorkspaceToken } from './workspace.ts'

type SignUp = z.input<typeof SignUpBody>

/**
 * `svc signup`: creates a tenant and keeps its key. An anonymous workspace whose token the profile holds becomes the
 * account. Another key that the profile holds already is replaced only with `force`: the service shows a key once, so a
 * replaced one may be lost.
 */
export async function signUp(
  context: CliContext,
  options: Pick<SignUp, 'email' | 'name' | 'plan'> & { readonly force?: boolean },
): Promise<void> {
  const profile = await context.profile()
  const token = options.force === true ? undefined : profile.api_key
  if (token !== undefined && !isWorkspaceToken(token)) throw keyExists(profile, context.profileDir)
  const guest = await context.guest()
  // Done first: a created key that could not be stored would be lost.
  const keys = await fetchKeys(guest)
  const { email, plan } = options
  const name = options.name ?? email.split('@')[0]
  const { answer, apiKey } =
    token === undefined
      ? await openAccount(guest, { email, plan, name })
      : await claimWorkspace(guest, { anon_token: token, email, name })
  const { tenant } = answer
  await rememberKey(context, guest, { apiKey, keys, tenant: { id: tenant.id, name: tenant.name, plan: tenant.plan } })
  context.output.result(answer, () =>
    [
      `tenant ${tenant.name} (${tenant.id}), plan ${tenant.plan}`,
      `key    ${apiKey}`,
      `       shown only once, and stored in ${profilePath(context.profileDir)}`,
      ...(token === undefined
        ? []
        : ['The jobs and artifacts of the anonymous workspace are in it; its token has ended.']),
      ...(tenant.plan === plan
        ? []
        : [
            `The account is on plan ${tenant.plan}: plan ${plan} starts when it is paid for, in the console (svc open).`,
          ]),
    ].join('\n'),
  )
}

async function openAccount(guest: ApiClient, account: SignUp) {
  const answer = await guest.call('/v1/signup', SignUpAnswer, { method: 'POST', json: account })
  return { answer, apiKey: answer.api_key }
}

/** `svc login`: checks a key, keeps it, and pins the keys that the server signs with. */
export async function logIn(context: CliContext, options: { readonly key?: string }): Promise<void> {
  const apiKey = options.key ?? (await readKey())
  if (!apiKey.startsWith('ks_') && !isWorkspaceToken(apiKey)) throw usageError('an API key starts with ks_')
  const client = createApiClient({ url: await context.url(), apiKey })
  const tenant = await checkKey(context, client, apiKey)
  const keys = await fetchKeys(client)
  await rememberKey(context, client, { apiKey, keys, tenant })
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
  context.output.result({ logged_out: apiKey !== undefined }, () => logOutText(context, apiKey, tenant?.name))
}

function logOutText({ profileDir }: CliContext, apiKey: string | undefined, name: string | undefined): string {
  if (apiKey === undefined) return 'no key is stored'
  const removed = `removed the key${name === undefined ? '' : ` of ${name}`} from ${profilePath(profileDir)}`
  // Nothing else opens an anonymous workspace.
  return isWorkspaceToken(apiKey)
    ? `${removed}\nIt still opens the workspace, and nothing else does: ${apiKey}`
    : `${removed}\nThe key stays valid: svc keys revoke ends one.`
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
