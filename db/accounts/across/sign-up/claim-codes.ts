import { randomBytes } from 'node:crypto'
import { base32 } from '../../../../core/kernel/ids.ts'
import type { Limits } from '../../../../core/accounts/limits.ts'
import type { Database } from '../../../kernel/database.ts'
import { enqueueMail, pretendToEnqueue } from '../../mails/enqueue-mail.ts'
import { insertMailToken } from '../../mails/mail-tokens.ts'
import { takeMailToAddress } from '../../mails/address-limit.ts'
import { service } from '../../../kernel/queries/service.ts'
import { normalizeEmail } from '../../tenants/verification/email-address.ts'

/** 80 random bits: typed by a person, good for minutes, and guessed at a bounded rate. */
const CODE_BYTES = 10
const MINUTE_MS = 60_000

/** Normalises a code as it is stored: case and dashes do not matter. */
export function normalizeClaimCode(text: string): string {
  return text.toLowerCase().replace(/[\s-]/g, '')
}

/**
 * Mails the code that merges a workspace into the account with an address, if a verified one has it. Neither the answer
 * nor its duration reveals whether one has. Throws `validation_failed` for a text that is not an address.
 */
export async function mailClaimCode(
  db: Database,
  input: { readonly workspaceId: string; readonly email: string; readonly limits: Limits; readonly now: Date },
): Promise<void> {
  const { limits, now } = input
  const email = normalizeEmail(input.email)
  const { isAllowed } = await takeMailToAddress(db, { kind: 'way_in', email, limits })
  const code = base32(randomBytes(CODE_BYTES))
  const expiresAt = new Date(now.getTime() + limits.mail_token_minutes * MINUTE_MS)
  await service.write(db, 'an address names the tenant that gets the code', async (tx) => {
    const [tenant] = await tx.read((q) =>
      q
        .selectFrom('tenants')
        .select('id')
        .where('email', '=', email)
        .where('is_email_verified', '=', true)
        .where('kind', '=', 'user')
        .where('deleted_at', 'is', null),
    )
    const tenantId = tenant?.id ?? null
    await insertMailToken(tx, code, {
      purpose: 'claim',
      tenantId,
      email,
      payload: { workspace_id: input.workspaceId },
      expiresAt,
      now,
    })
    const post = tenantId !== null && isAllowed ? enqueueMail : pretendToEnqueue
    const shown = code.replace(/(.{4})(?=.)/g, '$1-')
    await post(tx, db, {
      template: 'claim_code',
      to: email,
      tenantId,
      params: { code: shown, expires_at: expiresAt.toISOString() },
      now,
    })
  })
}
