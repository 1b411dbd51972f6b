import { defineEntity, p } from '@mikro-orm/core'
import { bytes, instant } from '../../kernel/tables/columns.ts'

/** An Ed25519 key of the service. Retired ones stay, so that what they signed can be checked. */
export const SigningKeyEntity = defineEntity({
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
})
