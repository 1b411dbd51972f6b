import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bytes, instant } from '../../kernel/tables/columns.ts'

/** An Ed25519 key of the service. Retired ones stay, so that their signatures can be checked. */
export const SigningKeyEntity = defineTable({
  name: 'SigningKey',
  tableName: 'signing_keys',
  properties: {
    /** First 32 hex digits of SHA-256 over the public half in SPKI DER. */
    kid: p.text().primary(),
    publicKeyDer: bytes(),
    sealedPrivateKey: bytes(),
    createdAt: instant(),
    retiredAt: instant().nullable(),
  },
  facts: {
    tenant: { shared: 'the service’s own; the public halves are published' },
    sealed: { sealedPrivateKey: { purpose: `'signing'`, owner: 'service', key: 'kid' } },
    sweeps: { none: 'archives and receipts are verified by the old ones' },
  },
})
