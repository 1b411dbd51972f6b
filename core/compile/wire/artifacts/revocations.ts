import { z } from 'zod'
import { Ed25519Block } from '../../../ledger/keys/sealed-document.ts'
import { Hash, Time } from '../../../ledger/wire/fields.ts'
import { isCid } from '../../archive/cid.ts'

/** Spec of the list of revoked artifacts. */
export const REVOCATIONS_SPEC = 'svc-revocations-1'

/** A revoked artifact. */
export const Revocation = z
  .strictObject({
    number: z.int().min(1).meta({ description: 'Counts the revocations of the service from 1' }),
    cid: z.string().refine((text): boolean => isCid(text), { error: 'is not a CID' }),
    artifact_hash: Hash.meta({ description: 'The hash that names the one archive, in its manifest and in receipts' }),
    revoked_at: Time,
  })
  .meta({ id: 'Revocation' })
export type Revocation = z.infer<typeof Revocation>

/** The signed list of all revoked artifacts of the service. */
export const RevocationList = z
  .strictObject({
    spec: z.literal(REVOCATIONS_SPEC),
    number: z.int().min(0).meta({ description: 'The number of the last revocation; 0 for an empty list' }),
    issued_at: Time.meta({ description: 'When the service stated it, in full hours, or the last revocation if later' }),
    revoked: z.array(Revocation).meta({ description: 'In the order of their numbers, without a gap' }),
    signature_ed25519: Ed25519Block,
  })
  .meta({ id: 'RevocationList' })
export type RevocationList = z.infer<typeof RevocationList>
