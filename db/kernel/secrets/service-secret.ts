import { p } from '@mikro-orm/core'
import { defineTable } from '../tables/define-table.ts'
import { bytes, instant } from '../tables/columns.ts'

/** A symmetric key that the service made for itself, sealed under the master key. */
export const ServiceSecretEntity = defineTable({
  name: 'ServiceSecret',
  tableName: 'service_secrets',
  properties: {
    id: p.text().primary(),
    purpose: p.enum(['audit', 'fingerprint', 'share'] as const),
    sealedSecret: bytes(),
    createdAt: instant(),
  },
  indexes: [{ properties: ['purpose', 'createdAt'] }],
  facts: {
    // Sealed. Every ledger is written, and every provider key fingerprinted, under keys of the service.
    tenant: { shared: 'the service’s own', grants: ['select'] },
    sealed: { sealedSecret: { purpose: 'purpose', owner: 'service' } },
    sweeps: { none: 'one for each purpose and rotation; ledgers and fingerprints need the old ones' },
  },
})
