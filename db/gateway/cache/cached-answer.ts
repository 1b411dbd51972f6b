import { p } from '@mikro-orm/core'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { bytes, document, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A whole answer of a provider that the same request of the same tenant gets again. */
export const CachedAnswerEntity = defineTable({
  name: 'CachedAnswer',
  tableName: 'cached_answers',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    /** SHA-256 of the request, see `cacheKey`. */
    key: bytes().primary(),
    namespace: p.text(),
    provider: p.text(),
    model: p.text(),
    captureId: p.text(),
    /** Without what was redacted. */
    answer: document<JsonObject>(),
    createdAt: instant(),
    expiresAt: instant(),
  },
  indexes: [
    { name: 'cached_answers_newest', properties: ['tenantId', 'createdAt'] },
    { name: 'cached_answers_expiry', properties: ['expiresAt'] },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: { stays: 'it is made again by the next call' },
    purge: 'goes',
    export: { leftOut: 'copies of answers that captures hold' },
    sweeps: [{ name: 'cachedAnswers', summary: 'Remove cached answers of models that have expired', by: 'expiresAt' }],
  },
})
