import type { Limits } from '../../../../core/accounts/limits.ts'
import type { PlanId } from '../../../../core/kernel/tenant/plans.ts'
import type { Database } from '../../../kernel/database.ts'
import { mintKey } from '../../keys/key-text.ts'
import { service } from '../../../kernel/queries/service.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { createTenant, lockEmail } from '../../tenants/create-tenant.ts'
import { normalizeEmail } from '../../tenants/verification/email-address.ts'
import type { Tenant } from '../../../kernel/tenant/tenant.ts'
import {
  enqueueAddressInUse,
  enqueueVerification,
  linksOfVerification,
} from '../../tenants/verification/verify-email.ts'

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
 * Makes a tenant with its owner, its primary key, its first receipt secret and its audit ledger, in one transaction. An
 * address that is known makes no difference to the caller: the tenant is one of its own, linked to no other, with the
 * address unverified; who verified the address gets a mail. Throws `validation_failed` for an address that is none.
 */
export async function signUp(db: Database, input: SignUpInput): Promise<SignedUp> {
  const email = normalizeEmail(input.email)
  const { limits, now } = input
  const asked = input.plan ?? 'free'
  const minted = await mintKey(db.hashSlots, 'ks')
  // Counted apart from the mails that an account asks for: strangers who try an address take none from its owner.
  const linksTo = await linksOfVerification(db, { ...input, email, kind: 'sign_up' })
  return await service.write(db, 'a sign-up makes a tenant, and another one may have the address', async (tx) => {
    await lockEmail(tx, email)
    const owner = await findVerifiedOwner(tx, email)
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
      now,
    })
    if (linksTo !== null) {
      if (owner === null) await enqueueVerification(tx, db, { tenant, email, linksTo, limits, now })
      else await enqueueAddressInUse(tx, db, { owner, email, linksTo, now })
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

/** The tenant that verified an address; null when none has. */
async function findVerifiedOwner(
  tx: Transaction,
  email: string,
): Promise<{ readonly tenantId: string; readonly name: string } | null> {
  const [owner] = await tx.read((q) =>
    q
      .selectFrom('tenants')
      .select(['id as tenantId', 'name'])
      .where('email', '=', email)
      .where('is_email_verified', '=', true)
      .where('deleted_at', 'is', null),
  )
  return owner ?? null
}
