import type { Limits } from '../../../../core/accounts/limits.ts'
import type { PlanId } from '../../../../core/kernel/tenant/plans.ts'
import type { Database } from '../../../kernel/database.ts'
import { mintKey } from '../../keys/key-text.ts'
import { service } from '../../../kernel/queries/service.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { lockEmail } from '../../tenants/lock-email.ts'
import { createTenant } from './create-tenant.ts'
import { normalizeEmail } from '../../tenants/verification/email-address.ts'
import type { Tenant } from '../../../kernel/tenant/tenant.ts'
import {
  enqueueAddressInUse,
  enqueueVerification,
  linksOfVerification,
} from '../../tenants/verification/verify-email.ts'

/** The person who signs up. */
export interface SignUpInput {
  readonly email: string
  /** Name of the tenant; the local part of the address when absent. */
  readonly name?: string | undefined
  readonly plan?: PlanId | undefined
  /** Address of the service, when a mail is to verify the address. */
  readonly mailLinksTo?: string | undefined
  readonly requestId: string
  readonly now: Date
  readonly limits: Limits
}

/** The new tenant and its key, which is shown only here. */
export interface SignedUp {
  readonly tenant: Tenant
  readonly apiKey: string
  readonly keyId: string
  /** The owner. */
  readonly memberId: string
  /** True when a paid plan was requested; until it is paid, the free plan is in force. */
  readonly isBillingRequired: boolean
}

/**
 * Makes a tenant with its owner, its primary key, its first receipt secret and its audit ledger, in one transaction. A
 * known address makes no visible difference: the tenant is separate from any other, with the address unverified; the
 * person who verified the address gets a mail. Throws `validation_failed` for a text that is not an address.
 */
export async function signUp(db: Database, input: SignUpInput): Promise<SignedUp> {
  const email = normalizeEmail(input.email)
  const { limits, now } = input
  const asked = input.plan ?? 'free'
  const minted = await mintKey(db.hashSlots, 'ks')
  // Counted apart from the mails that an account asks for: another caller who tries an address must not use up its
  // owner's limit.
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

/** Returns the tenant that verified an address, or null. */
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
