import { DomainError } from '../../core/errors.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { PlanId } from '../../core/tenancy/plans.ts'
import type { Database, SqlRunner } from '../database.ts'
import { mintKey } from '../keys/key-text.ts'
import { inTransaction } from '../transaction.ts'
import { createTenant, lockEmail } from './create-tenant.ts'
import { normalizeEmail } from './verification/email-address.ts'
import type { Tenant } from './tenant.ts'
import { enqueueVerification, linksOfVerification } from './verification/verify-email.ts'

/** Who signs up. */
export interface SignUpInput {
  readonly email: string
  /** What the tenant is called; the local part of the address when absent. */
  readonly name?: string | undefined
  readonly plan?: PlanId | undefined
  /** Address of the service, when a mail is to ask whether the address is theirs. */
  readonly mailLinksTo?: string | undefined
  readonly requestId: string
  readonly now: Date
  readonly limits: Limits
}

/** The new tenant and its key, which is shown this once. */
export interface SignedUp {
  readonly tenant: Tenant
  readonly apiKey: string
  readonly keyId: string
  /** The owner. */
  readonly memberId: string
  /** A paid plan was asked for; until it is paid, the free plan is in force. */
  readonly isBillingRequired: boolean
}

/**
 * Makes a tenant with its owner, its primary key, its first receipt secret and its audit ledger, in one transaction.
 * Throws `validation_failed` for an address that is none, and `email_exists` for one that has a tenant (in whatever
 * case, verified or not).
 */
export async function signUp(db: Database, input: SignUpInput): Promise<SignedUp> {
  const email = normalizeEmail(input.email)
  // Refused before a mail is counted: whoever tries an address again and again takes no mail from who has it.
  await requireFreeAddress(db, email)
  const asked = input.plan ?? 'free'
  const minted = await mintKey(db.hashSlots, 'ks')
  const linksTo = await linksOfVerification(db, { ...input, email })
  return await inTransaction(db, null, async (tx) => {
    await lockEmail(tx, email)
    await requireFreeAddress(tx, email)
    const { tenant, keyId, memberId } = await createTenant(tx, db, {
      kind: 'user',
      email,
      isEmailVerified: false,
      name: input.name,
      pendingPlan: asked === 'free' ? null : asked,
      quotaOverride: null,
      expiresAt: null,
      key: { minted, kind: 'primary' },
      actor: { kind: 'anonymous' },
      requestId: input.requestId,
      now: input.now,
    })
    if (linksTo !== null) {
      await enqueueVerification(tx, db, { tenant, email, linksTo, limits: input.limits, now: input.now })
    }
    if (keyId === null || memberId === null) throw new Error('a sign-up made no key or no owner')
    return {
      tenant,
      apiKey: minted.apiKey,
      keyId,
      memberId,
      isBillingRequired: asked !== 'free',
    }
  })
}

async function requireFreeAddress(sql: SqlRunner, email: string): Promise<void> {
  const taken = await sql.query('select 1 from tenants where email = $1 and deleted_at is null limit 1', [email])
  if (taken.length > 0) throw new DomainError('email_exists', 'an account with this e-mail address exists already')
}
