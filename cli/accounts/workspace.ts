import {
  BootstrapAnonymousAnswer,
  ClaimAnonymousAnswer,
  type ClaimAnonymousBody,
} from '../../core/accounts/wire/identity/anonymous.ts'
import type { z } from 'zod'
import { CliError } from '../cli-error.ts'
import { createApiClient, type ApiClient } from '../client/api-client.ts'
import type { CliContext } from '../context.ts'
import { profilePath } from '../service/profile.ts'
import { formatTime } from '../terminal/table.ts'
import { fetchKeys, rememberKey } from './remember-key.ts'

/** The beginning of the token of an anonymous workspace. */
const TOKEN = 'kao_'

/** Returns whether this credential is the token of an anonymous workspace. */
export function isWorkspaceToken(apiKey: string | undefined): apiKey is string {
  return apiKey?.startsWith(TOKEN) ?? false
}

/**
 * Returns a client with the user's key. Without a key it opens an anonymous workspace first, keeps its token in the
 * profile, and says so. Throws `CliError`, with `signup_disabled` where accounts are by invitation only.
 */
export async function clientOrWorkspace(context: CliContext): Promise<ApiClient> {
  return (await clientWithKey(context)) ?? (await openWorkspace(context))
}

/** Returns a client with the user's key, or one without when there is none. */
export async function clientOrGuest(context: CliContext): Promise<ApiClient> {
  return (await clientWithKey(context)) ?? (await context.guest())
}

async function clientWithKey(context: CliContext): Promise<ApiClient | undefined> {
  try {
    return await context.client()
  } catch (error) {
    if (error instanceof CliError && error.code === 'missing_credential') return undefined
    throw error
  }
}

async function openWorkspace(context: CliContext): Promise<ApiClient> {
  const guest = await context.guest()
  const keys = await fetchKeys(guest)
  const opened = await guest.call('/v1/anon/bootstrap', BootstrapAnonymousAnswer, { method: 'POST', json: {} })
  const { anon_token: apiKey, tenant_id: id } = opened
  await rememberKey(context, guest, { apiKey, keys, tenant: { id, name: 'anonymous workspace', plan: 'free' } })
  context.output.note(
    `no account: opened an anonymous workspace with ${opened.quota} units a month, kept until ${formatTime(opened.expires_at)}; ` +
      `its token is in ${profilePath(context.profileDir)}, and svc signup --email ADDRESS makes it an account`,
  )
  return createApiClient({ url: guest.url, apiKey })
}

/** Makes the workspace of a token an account. Its jobs and artifacts stay, and its token ends. */
export async function claimWorkspace(
  guest: ApiClient,
  claim: z.input<typeof ClaimAnonymousBody>,
): Promise<{ readonly answer: z.input<typeof ClaimAnonymousAnswer>; readonly apiKey: string }> {
  const answer = await guest.call('/v1/anon/claim', ClaimAnonymousAnswer, { method: 'POST', json: claim })
  if (answer.api_key === null) throw new CliError('the server made no key for the account')
  return { answer, apiKey: answer.api_key }
}
