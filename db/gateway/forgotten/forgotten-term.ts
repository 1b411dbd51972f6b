import { p } from '@mikro-orm/core'
import { bytes, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A subject or a pattern that is never sent, stored or learned again. The words of a subject are not kept. */
export const ForgottenTermEntity = defineTable({
  name: 'ForgottenTerm',
  tableName: 'forgotten_terms',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    kind: p.enum(['subject', 'pattern'] as const),
    /** The pattern's text; null for a subject. */
    pattern: p.text().nullable(),
    /** Words of the subject; null for a pattern. */
    words: p.integer().nullable(),
    /** Two bytes of a keyed hash of the first word, which say where a comparison is worth its time; null for a pattern. */
    bucket: p.integer().nullable(),
    /** HMAC under a key of the service, over the words of the subject or the text of the pattern. */
    digest: bytes(),
    createdAt: instant(),
  },
  indexes: [{ name: 'forgotten_terms_newest', properties: ['tenantId', 'createdAt', 'id'] }],
  uniques: [{ name: 'forgotten_terms_one_each', properties: ['tenantId', 'digest'] }],
  facts: {
    tenant: 'row',
    merge: {
      moves: `update forgotten_terms f set tenant_id = $2 where tenant_id = $1 and not exists (
        select 1 from forgotten_terms o where o.tenant_id = $2 and o.digest = f.digest)`,
    },
    purge: 'goes',
    export: {
      section: 'forgotten_terms',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        kind: true,
        pattern: true,
        words: true,
        bucket: 'a part of the digest',
        digest: 'would confirm a guess',
        createdAt: true,
      },
    },
    sweeps: { none: 'bounded by forgotten_terms_per_tenant, and kept as long as the tenant' },
  },
})
