import { randomBytes } from 'node:crypto'
import { base32 } from '../../../../core/kernel/ids.ts'
import type { Limits } from '../../../../core/kernel/limits.ts'
import type { Database } from '../../../kernel/database.ts'
import { enqueueMail, pretendToEnqueue } from '../../mails/enqueue-mail.ts'
import { insertMailToken } from '../../mails/mail-tokens.ts'
import { takeMailToAddress } from '../../mails/address-limit.ts'
import { inTransaction } from '../../../kernel/transaction.ts'
import { normalizeEmail } from '../verification/email-address.ts'

/** 80 random bits: typed by a person, good for minutes, and guessed at a bounded rate. */
const CODE_BYTES = 10
const MINUTE_MS = 60_000

/** A code as it is kept, whatever case and dashes a person typed. */
export function normalizeClaimCode(text: string): string {
  return text.toLowerCase().replace(/[\s-]/g, '')
}

/**
 * Mails the code that lets a workspace be merged into the account with an address, if a verified one has it. Neither the
 * answer nor the time it takes tells whether one has. Throws `validation_failed` for a text that is no address.
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
  await inTransaction(db, null, async (tx) => {
    const [tenant] = await tx.query<{ id: string }>(
      `select id from tenants where email = $1 and is_email_verified and kind = 'user' and deleted_at is null`,
      [email],
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
