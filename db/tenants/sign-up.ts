import { GENESIS } from '../../core/evidence/ledger/ledger.ts'
import { DomainError, invalidField } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import { PLANS, type PlanId } from '../../core/tenancy/plans.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { ApiKeyEntity } from '../keys/api-key.ts'
import { mintKey, randomSuffix, type MintedKey } from '../keys/key-text.ts'
import type { Database } from '../database.ts'
import { isUniqueViolation } from '../failures.ts'
import { addReceiptSecret } from '../receipt-secrets/add-secret.ts'
import { quotaOf } from '../quota/units.ts'
import { inTransaction } from '../transaction.ts'
import { TenantEntity, type Tenant } from './tenant.ts'

/** Who signs up. */
export interface SignUpInput {
  readonly email: string
  /** What the tenant is called; the local part of the address when absent. */
  readonly name?: string | undefined
  readonly plan?: PlanId | undefined
  readonly requestId: string
  readonly now: Date
  readonly limits: Limits
}

/** The new tenant and its key, which is shown this once. */
export interface SignedUp {
  readonly tenant: Tenant
  readonly apiKey: string
  readonly keyId: string
  /** Units per month that are in force. */
  readonly quota: number
  readonly seats: number
  /** A paid plan was asked for; until it is paid, the free plan is in force. */
  readonly isBillingRequired: boolean
}

const TRIAL_MS = 30 * 86_400_000
const EMAIL = /^[^\s@]{1,64}@[^\s@]+\.[^\s@.]+$/
const NAME_ATTEMPTS = 5

/**
 * Makes a tenant with its primary key, its first receipt secret and its audit ledger, in one transaction. Throws
 * `validation_failed` for an address that is none, and `email_exists` for one that has a tenant (in whatever case).
 */
export async function signUp(db: Database, input: SignUpInput): Promise<SignedUp> {
  const email = input.email.trim().toLowerCase()
  if (email.length > 254 || !EMAIL.test(email)) throw invalidField('email', 'must be an e-mail address')
  const key = await mintKey(db.hashSlots)
  for (let attempt = 1; ; attempt++) {
    try {
      return await insertTenant(db, input, email, key)
    } catch (error) {
      if (isUniqueViolation(error, 'tenants_email_unique')) {
        throw new DomainError('email_exists', 'an account with this e-mail address exists already')
      }
      if (!isUniqueViolation(error, 'tenants_name_unique') || attempt === NAME_ATTEMPTS) throw error
    }
  }
}

async function insertTenant(db: Database, input: SignUpInput, email: string, key: MintedKey): Promise<SignedUp> {
  const { now } = input
  const asked = input.plan ?? 'free'
  const tenantId = newId('ten')
  const keyId = newId('key')
  return await inTransaction(db, tenantId, async (tx) => {
    const tenant = tx.em.create(TenantEntity, {
      id: tenantId,
      name: `${slugOf(input.name, email)}-${randomSuffix()}`,
      email,
      isEmailVerified: false,
      plan: 'free',
      pendingPlan: asked === 'free' ? null : asked,
      trialEndsAt: asked === 'free' ? null : new Date(now.getTime() + TRIAL_MS),
      createdAt: now,
    })
    await tx.em.flush()
    const { apiKey: _apiKey, ...stored } = key
    tx.em.create(ApiKeyEntity, {
      ...stored,
      salt: Buffer.from(stored.salt),
      hash: Buffer.from(stored.hash),
      id: keyId,
      tenantId,
      kind: 'primary',
      scopes: ['*'],
      createdAt: now,
    })
    const secretId = addReceiptSecret(tx, { secrets: db.secrets, tenantId, now })
    await tx.em.flush()
    await tx.query('insert into audit_heads (tenant_id, seq, hash) values ($1, $2, $3)', [
      tenantId,
      GENESIS.seq,
      GENESIS.event_hash,
    ])
    await recordAudit(
      tx,
      { db, tenantId, actor: { kind: 'anonymous' }, requestId: input.requestId, now: () => now },
      {
        action: 'tenant.created',
        target: tenantId,
        payload: { plan: asked, key_id: keyId, receipt_key_id: secretId },
      },
    )
    return {
      tenant,
      apiKey: key.apiKey,
      keyId,
      quota: quotaOf('free', input.limits),
      seats: PLANS.free.seats,
      isBillingRequired: asked !== 'free',
    }
  })
}

function slugOf(name: string | undefined, email: string): string {
  const slug = (text: string) =>
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 32)
      .replace(/^-+|-+$/g, '')
  return slug(name ?? '') || slug(email.slice(0, email.indexOf('@'))) || 'user'
}
