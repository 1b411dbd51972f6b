import { z } from 'zod'
import { canonicalJson, type Sha256 } from '../../kernel/json/json.ts'
import { macText, type Mac, type MacKey, type MacSecret } from '../../kernel/json/mac.ts'
import { Hash, KeyId, MacField } from '../wire/fields.ts'
import { RECEIPT_VERSION } from './build-receipt.ts'
import { ChainLink } from './chain.ts'

/**
 * A claim that the service signed an artifact, without the whole receipt: either the artifact hash with an HMAC over
 * it and the id of its key, or the fields `svc_version`, `artifact_hash`, `chain` and `signature` of a build receipt.
 */
export const DriveByReceipt = z
  .object({
    svc_version: z.literal(RECEIPT_VERSION).exactOptional(),
    artifact_hash: Hash,
    chain: z.array(ChainLink).max(16).exactOptional(),
    key_id: KeyId.exactOptional(),
    signature: MacField,
  })
  .meta({ id: 'DriveByReceipt' })
export type DriveByReceipt = z.infer<typeof DriveByReceipt>

/** The HMAC of a drive-by receipt: over the RFC 8785 form of `{artifact_hash}`. */
export function driveByMac(artifactHash: Sha256, secret: MacSecret): Mac {
  return macText(canonicalJson({ artifact_hash: artifactHash }), secret)
}

/** Signs a drive-by receipt for an artifact. */
export function signDriveBy(artifactHash: Sha256, key: MacKey): DriveByReceipt {
  return { artifact_hash: artifactHash, key_id: key.keyId, signature: driveByMac(artifactHash, key.secret) }
}
