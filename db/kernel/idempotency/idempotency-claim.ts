import { p } from '@mikro-orm/core'
import { defineTable } from '../tables/define-table.ts'
import { bytes, instant } from '../tables/columns.ts'
import { TenantEntity } from '../tenant/tenant.ts'

/** One use of an Idempotency-Key: claimed while its request runs, then kept with the answer. */
export const IdempotencyClaimEntity = defineTable({
  name: 'IdempotencyClaim',
  tableName: 'idempotency_keys',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    route: p.text().primary(),
    key: p.text().primary(),
    /** Owner of the claim: `key:<id>` or `member:<id>`; empty for claims older than this column. */
    credential: p.text().primary(),
    /** Keyed digest of the request; see `api/kernel/guard/idempotency.ts`. */
    bodyHash: p.text(),
    /** Names the request that holds the claim. */
    claimToken: p.uuid(),
    /** A claim without an answer that is not renewed by then belongs to a dead process. */
    leaseUntil: instant(),
    status: p.integer().nullable(),
    sealedAnswer: bytes().nullable(),
    /**
     * When the key was first used for this request; with the key it names the claim, however often it is taken over.
     */
    createdAt: instant(),
    expiresAt: instant(),
  },
  indexes: [{ properties: ['expiresAt'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'answers to calls with the ended token' },
    purge: 'goes',
    export: { leftOut: 'answers kept for a day for repeated calls' },
    sealed: { sealedAnswer: { purpose: `'answer'`, key: 'claim_token::text', isPassing: true } },
    sweeps: [{ name: 'idempotencyKeys', summary: 'Remove expired claims of Idempotency-Keys', by: 'expiresAt' }],
  },
})
