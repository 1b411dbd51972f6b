import { p } from '@mikro-orm/core'
import type { CopyrightHit } from '../../../core/gateway/captures/copyright/hit.ts'
import type { Allowance } from '../../../core/gateway/captures/copyright/allowlist.ts'
import { document, instant, real } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A capture whose texts the copyright heuristic suggests to quarantine. No foreign keys, as in the tables of captures. */
export const CopyrightFlagEntity = defineTable({
  name: 'CopyrightFlag',
  tableName: 'copyright_flags',
  properties: {
    /** Orders by time, byte by byte, as `captures.id` does. */
    captureId: p.text().collation('C').primary(),
    tenantId: p.text(),
    namespace: p.text(),
    scannedAt: instant(),
    /** 0 to 1: the higher one of prompt and response. */
    risk: real(),
    inputRisk: real(),
    outputRisk: real(),
    hits: document<readonly CopyrightHit[]>(),
    hitCount: p.integer(),
    /** Of the lists that it was scanned with. */
    version: p.text(),
  },
  indexes: [{ name: 'copyright_flags_of_namespace', properties: ['tenantId', 'namespace', 'captureId'] }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'copyright_flags',
      key: ['namespace', 'captureId'],
      columns: {
        captureId: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        scannedAt: true,
        risk: true,
        inputRisk: true,
        outputRisk: true,
        hits: true,
        hitCount: true,
        version: true,
      },
    },
    sweeps: { none: 'removed with the month of its capture' },
  },
})

/** The texts and names that a tenant may use: hits within them do not count. */
export const CopyrightAllowlistEntity = defineTable({
  name: 'CopyrightAllowlist',
  tableName: 'copyright_allowlists',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    entries: document<readonly Allowance[]>(),
    updatedAt: instant(),
  },
  facts: {
    tenant: 'row',
    namespace: { unbound: 'licences of the whole tenant' },
    merge: { stays: 'the other tenant has licences of its own' },
    purge: 'goes',
    export: {
      section: 'copyright_allowlists',
      key: ['tenantId'],
      columns: { tenantId: 'the document is of one tenant', entries: true, updatedAt: true },
    },
  },
})
