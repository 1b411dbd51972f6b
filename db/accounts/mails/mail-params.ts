import { z } from 'zod'
import type { MailParams } from '../../../core/accounts/mail/templates.ts'
import type { Database } from '../../kernel/database.ts'
import type { SecretScope } from '../../kernel/secrets/secret-box.ts'

const Params = z.record(z.string(), z.string())

/** Returns the associated data of the sealed parameters of a mail. */
export function mailScope(mailId: string, tenantId: string | null): SecretScope {
  return { owner: tenantId ?? 'service', id: mailId, purpose: 'mail' }
}

/** Seals parameters for storage: they may hold a token that opens an account. */
export function sealParams(db: Database, scope: SecretScope, params: MailParams): Buffer {
  return Buffer.from(db.secrets.seal(Buffer.from(JSON.stringify(params)), scope))
}

/** Opens sealed parameters. Throws an `Error` when they were changed or moved. */
export function openParams(db: Database, scope: SecretScope, sealed: Uint8Array): MailParams {
  return Params.parse(JSON.parse(Buffer.from(db.secrets.open(sealed, scope)).toString('utf8')))
}
