import { GENESIS } from '../../../../core/ledger/chain/ledger.ts'
import { newId } from '../../../../core/kernel/ids.ts'
import type { PlanId } from '../../../../core/kernel/tenant/plans.ts'
import { ANONYMOUS_SCOPES } from '../../../../core/accounts/roles.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import type { Database } from '../../../kernel/database.ts'
import { insertKey } from '../../keys/insert-key.ts'
import { randomSuffix, type MintedKey } from '../../keys/key-text.ts'
import { MemberEntity } from '../../members/member.ts'
import type { Actor } from '../../../kernel/operation.ts'
import { addReceiptSecret } from '../../../ledger/receipt-secrets/add-secret.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import type { ServiceTransaction } from '../../../kernel/queries/service.ts'
import { slugOf } from '../../tenants/tenant-name.ts'
import { TenantEntity, type Tenant } from '../../../kernel/tenant/tenant.ts'

/** Values of a new tenant. */
export interface CreateTenantInput {
  readonly kind: 'user' | 'anonymous'
  /** Lower-case; null for an unclaimed workspace. */
  readonly email: string | null
  readonly isEmailVerified: boolean
  /** Its name; the local part of the address when absent. */
  readonly name?: string | undefined
  readonly pendingPlan: PlanId | null
  readonly quotaOverride: number | null
  readonly expiresAt: Date | null
  /** Its first key; null for a tenant whose owner came through an identity provider. */
  readonly key: { readonly minted: MintedKey; readonly kind: 'primary' | 'anonymous' } | null
  readonly actor: Actor
  readonly requestId: string
  readonly now: Date
}

/** The new tenant. */
export interface CreatedTenant {
  readonly tenant: Tenant
  /** Its owner; null without an address. */
  readonly memberId: string | null
  readonly keyId: string | null
}

const TRIAL_MS = 30 * 86_400_000
const NAME_ATTEMPTS = 8

/**
 * Makes a tenant with its owner, its first key, its first receipt secret and its audit ledger. The caller has locked
 * the address and checked for a tenant that has it, see `lockEmail`.
 */
export async function createTenant(
  tx: ServiceTransaction,
  db: Database,
  input: CreateTenantInput,
): Promise<CreatedTenant> {
  const { email, now } = input
  const tenantId = newId('ten')
  const memberId = email === null ? null : newId('mbr')
  await insertTenant(tx, tenantId, input)
  // The tenant is known only now: from here on the entity manager sees only its rows.
  tx.em.setFilterParams('tenant', { tenantId })
  if (email !== null && memberId !== null) {
    tx.em.create(MemberEntity, {
      id: memberId,
      tenantId,
      email,
      role: 'owner',
      state: 'active',
      source: 'signup',
      isEmailVerified: input.isEmailVerified,
      createdAt: now,
      updatedAt: now,
    })
    await tx.em.flush()
  }
  const keyId =
    input.key === null
      ? null
      : insertKey(tx, {
          ...input.key,
          tenantId,
          memberId,
          scopes: input.key.kind === 'anonymous' ? ANONYMOUS_SCOPES : ['*'],
          expiresAt: input.key.kind === 'anonymous' ? input.expiresAt : null,
          now,
        })
  const receiptKeyId = addReceiptSecret(tx, { secrets: db.secrets, tenantId, now })
  await tx.em.flush()
  await tx.q
    .insertInto('audit_heads')
    .values({ tenant_id: tenantId, seq: GENESIS.seq, hash: GENESIS.event_hash })
    .execute()
  await recordAudit(
    tx,
    { db, tenantId, actor: input.actor, requestId: input.requestId, now: () => now },
    {
      action: 'tenant.created',
      target: tenantId,
      payload: {
        kind: input.kind,
        plan: input.pendingPlan ?? 'free',
        key_id: keyId,
        receipt_key_id: receiptKeyId,
        member_id: memberId,
      },
    },
  )
  return { tenant: await tx.em.findOneOrFail(TenantEntity, { id: tenantId }), memberId, keyId }
}

/** A taken name gets another suffix instead of an error, which would end the caller's transaction. */
async function insertTenant(tx: Transaction, tenantId: string, input: CreateTenantInput): Promise<void> {
  const slug = slugOf(input.name, input.email ?? input.kind)
  const { now } = input
  for (let attempt = 1; attempt <= NAME_ATTEMPTS; attempt++) {
    const suffix = Array.from({ length: Math.ceil(attempt / 2) }, () => randomSuffix()).join('')
    const inserted = await tx.q
      .insertInto('tenants')
      .values({
        id: tenantId,
        name: `${slug}-${suffix}`,
        kind: input.kind,
        email: input.email,
        is_email_verified: input.isEmailVerified,
        plan: 'free',
        pending_plan: input.pendingPlan,
        trial_ends_at: input.pendingPlan === null ? null : new Date(now.getTime() + TRIAL_MS),
        quota_override: input.quotaOverride,
        expires_at: input.expiresAt,
        created_at: now,
      })
      .onConflict((on) => on.column('name').doNothing())
      .returning('id')
      .execute()
    if (inserted.length === 1) return
  }
  throw new Error(`no name is free for ${slug}`)
}
