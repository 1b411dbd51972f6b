import { createHash, randomBytes } from 'node:crypto'
import type { Limits } from '../../../core/kernel/limits.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Database, SqlRunner } from '../../kernel/database.ts'
import type { SecretScope } from '../../kernel/secrets/secret-box.ts'

/** What is spoken with a tenant's identity provider. */
export const SSO_PROTOCOLS = ['saml', 'oidc'] as const
/** One of them. */
export type SsoProtocol = (typeof SSO_PROTOCOLS)[number]

/** A sign-in through a tenant's identity provider that is about to leave. */
export interface BeginSsoLogin {
  readonly protocol: SsoProtocol
  readonly tenantId: string
  /** What comes back: the state, or the id of the SAML request. */
  readonly state: string
  /** What must not leave the service; empty when there is nothing. */
  readonly secret: string
  readonly returnTo: string
  readonly now: Date
  readonly limits: Limits
}

/**
 * Notes that a browser was sent away to sign in. Answers the value of the cookie that it must bring back: without it,
 * somebody could sign others in as himself.
 */
export async function beginSsoLogin(db: Database, input: BeginSsoLogin): Promise<{ readonly browser: string }> {
  const id = newId('lat')
  const browser = randomBytes(32).toString('base64url')
  const sealed = db.secrets.seal(Buffer.from(input.secret), loginScope(input.tenantId, id))
  const expiresAt = new Date(input.now.getTime() + input.limits.login_attempt_minutes * 60_000)
  await db.query(
    `insert into login_attempts (id, kind, state_hash, browser_hash, sealed, return_to, tenant_id, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      id,
      input.protocol,
      hashOf(input.state),
      hashOf(browser),
      Buffer.from(sealed),
      input.returnTo,
      input.tenantId,
      input.now,
      expiresAt,
    ],
  )
  return { browser }
}

/** A sign-in that may still come back. */
export interface OpenSsoLogin {
  readonly tenantId: string
  readonly createdAt: Date
}

/** Looks a sign-in up without using it up; null when it is unknown, used or too old. */
export async function findSsoLogin(
  db: Database,
  { protocol, state, now }: { readonly protocol: SsoProtocol; readonly state: string; readonly now: Date },
): Promise<OpenSsoLogin | null> {
  const [row] = await db.query<{ tenant_id: string; created_at: Date }>(
    `select tenant_id, created_at from login_attempts
     where state_hash = $1 and kind = $2 and used_at is null and expires_at > $3 and tenant_id is not null`,
    [hashOf(state), protocol, now],
  )
  return row === undefined ? null : { tenantId: row.tenant_id, createdAt: row.created_at }
}

/** Uses a sign-in of a tenant up, once, for the browser that began it; null when there is none such. */
export async function useSsoLogin(
  sql: SqlRunner,
  db: Database,
  input: {
    readonly protocol: SsoProtocol
    readonly tenantId: string
    readonly state: string
    readonly browser: string
    readonly now: Date
  },
): Promise<{ readonly returnTo: string; readonly secret: string } | null> {
  const [row] = await sql.query<{ id: string; return_to: string; sealed: Buffer }>(
    `update login_attempts set used_at = $4
     where state_hash = $1 and kind = $2 and browser_hash = $3 and used_at is null and expires_at > $4
       and tenant_id = $5
     returning id, return_to, sealed`,
    [hashOf(input.state), input.protocol, hashOf(input.browser), input.now, input.tenantId],
  )
  if (row === undefined) return null
  const secret = Buffer.from(db.secrets.open(row.sealed, loginScope(input.tenantId, row.id))).toString('utf8')
  return { returnTo: row.return_to, secret }
}

/** What the seal of a sign-in under way is bound to. */
function loginScope(tenantId: string, id: string): SecretScope {
  return { owner: tenantId, id, purpose: 'login' }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
