import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { newId } from '../../../../core/kernel/ids.ts'
import type { OAuthChecks, OAuthProviderId } from '../../../../core/accounts/sign-in/oauth/provider.ts'
import type { Limits } from '../../../../core/accounts/limits.ts'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'
import type { SecretScope } from '../../../kernel/secrets/secret-box.ts'

const Checks = z.object({
  state: z.string(),
  codeVerifier: z.string(),
  nonce: z.string().nullable(),
})

const MINUTE_MS = 60_000
const WHY = 'a person who signs in has no tenant yet'

/**
 * Records that a browser was sent to a provider. Returns the cookie value that it must bring back: without it, an
 * attacker could sign another person in to the attacker's account.
 */
export async function beginOAuthAttempt(
  db: Database,
  input: {
    readonly provider: OAuthProviderId
    readonly checks: OAuthChecks
    readonly returnTo: string
    readonly limits: Limits
    readonly now: Date
  },
): Promise<{ readonly browser: string }> {
  const { provider, checks, returnTo, now } = input
  const id = newId('lat')
  const browser = randomBytes(32).toString('base64url')
  const sealed = db.secrets.seal(Buffer.from(JSON.stringify(checks)), loginScope(id))
  const expiresAt = new Date(now.getTime() + input.limits.login_attempt_minutes * MINUTE_MS)
  await service.write(db, WHY, async (tx) => {
    await tx.q
      .insertInto('login_attempts')
      .values({
        id,
        kind: provider,
        state_hash: hashOf(checks.state),
        browser_hash: hashOf(browser),
        sealed: Buffer.from(sealed),
        return_to: returnTo,
        created_at: now,
        expires_at: expiresAt,
      })
      .execute()
  })
  return { browser }
}

/** Uses up the sign-in that a browser began, once; null when there is none, or it has expired. */
export async function useOAuthAttempt(
  db: Database,
  input: {
    readonly provider: OAuthProviderId
    readonly state: string
    readonly browser: string
    readonly now: Date
  },
): Promise<{ readonly checks: OAuthChecks; readonly returnTo: string } | null> {
  const row = await service.write(
    db,
    WHY,
    async (tx) =>
      await tx.q
        .updateTable('login_attempts')
        .set({ used_at: input.now })
        .where('state_hash', '=', hashOf(input.state))
        .where('kind', '=', input.provider)
        .where('browser_hash', '=', hashOf(input.browser))
        .where('used_at', 'is', null)
        .where('expires_at', '>', input.now)
        .returning(['id', 'return_to as returnTo', 'sealed'])
        .executeTakeFirst(),
  )
  if (row === undefined) return null
  const opened = Buffer.from(db.secrets.open(row.sealed, loginScope(row.id))).toString('utf8')
  return { checks: Checks.parse(JSON.parse(opened)), returnTo: row.returnTo }
}

function loginScope(id: string): SecretScope {
  return { owner: 'service', id, purpose: 'login' }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
