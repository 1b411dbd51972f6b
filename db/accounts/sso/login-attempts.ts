import { createHash, randomBytes } from 'node:crypto'
import type { Limits } from '../../../core/accounts/limits.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Database } from '../../kernel/database.ts'
import { tenantOf } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import type { SecretScope } from '../../kernel/secrets/secret-box.ts'

/** Protocols of a tenant's identity provider. */
export const SSO_PROTOCOLS = ['saml', 'oidc'] as const
/** One of them. */
export type SsoProtocol = (typeof SSO_PROTOCOLS)[number]

/** A pending sign-in through a tenant's identity provider. */
export interface BeginSsoLogin {
  readonly protocol: SsoProtocol
  readonly tenantId: string
  /** The returned reference: the state, or the id of the SAML request. */
  readonly state: string
  /** Secrets that stay in the service; may be empty. */
  readonly secret: string
  readonly returnTo: string
  readonly now: Date
  readonly limits: Limits
}

/**
 * Records that a browser was sent to sign in. Returns the cookie value that it must bring back: without it, an attacker
 * could sign another person in to the attacker's account.
 */
export async function beginSsoLogin(db: Database, input: BeginSsoLogin): Promise<{ readonly browser: string }> {
  const id = newId('lat')
  const browser = randomBytes(32).toString('base64url')
  const sealed = db.secrets.seal(Buffer.from(input.secret), loginScope(input.tenantId, id))
  const expiresAt = new Date(input.now.getTime() + input.limits.login_attempt_minutes * 60_000)
  await tenantOf(db, input.tenantId).write(async (tx) => {
    await tx.q
      .insertInto('login_attempts')
      .values({
        id,
        kind: input.protocol,
        state_hash: hashOf(input.state),
        browser_hash: hashOf(browser),
        sealed: Buffer.from(sealed),
        return_to: input.returnTo,
        tenant_id: input.tenantId,
        created_at: input.now,
        expires_at: expiresAt,
      })
      .execute()
  })
  return { browser }
}

/** Uses up a pending sign-in of a tenant, once, for the browser that began it; null when there is none. */
export async function useSsoLogin(
  tx: Transaction,
  db: Database,
  input: {
    readonly protocol: SsoProtocol
    readonly tenantId: string
    readonly state: string
    readonly browser: string
    readonly now: Date
  },
): Promise<{ readonly returnTo: string; readonly secret: string } | null> {
  const row = await tx.q
    .updateTable('login_attempts')
    .set({ used_at: input.now })
    .where('state_hash', '=', hashOf(input.state))
    .where('kind', '=', input.protocol)
    .where('browser_hash', '=', hashOf(input.browser))
    .where('used_at', 'is', null)
    .where('expires_at', '>', input.now)
    .where('tenant_id', '=', input.tenantId)
    .returning(['id', 'return_to', 'sealed'])
    .executeTakeFirst()
  if (row === undefined) return null
  const secret = Buffer.from(db.secrets.open(row.sealed, loginScope(input.tenantId, row.id))).toString('utf8')
  return { returnTo: row.return_to, secret }
}

/** Returns the associated data of the seal of a pending sign-in. */
function loginScope(tenantId: string, id: string): SecretScope {
  return { owner: tenantId, id, purpose: 'login' }
}

/** Returns the stored form of a sign-in's state, a SAML request's id, or a browser's cookie. */
export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
