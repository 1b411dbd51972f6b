import { canonicalJson } from '../../kernel/json/json.ts'
import type { TrustedKeys } from '../keys/jwk.ts'
import { signText, verifyText, type SigningKey } from '../keys/signing-key.ts'

/** Number of entries after which a chain gets a checkpoint automatically. */
export const CHECKPOINT_EVERY = 1000

/** A place in a tenant's chain, and when it was signed. */
export type CheckpointFields = {
  readonly tenant_id: string
  readonly seq: number
  readonly event_hash: string
  readonly at: string
}

/**
 * A signed position in a chain. Kept outside of the database, it proves that the chain up to it was not rewritten, not
 * even with the chain's MAC key.
 */
export type Checkpoint = CheckpointFields & { readonly kid: string; readonly signature: string }

/** Signs a position in a chain: Ed25519 over the RFC 8785 form of all the other fields. */
export function signCheckpoint(fields: CheckpointFields, signer: SigningKey): Checkpoint {
  const signed = { ...fields, kid: signer.kid }
  return { ...signed, signature: signText(canonicalJson(signed), signer.privateKey) }
}

/** Returns true when the checkpoint's signature is valid and by one of the trusted keys. */
export function isSignedCheckpoint(checkpoint: Checkpoint, trusted: TrustedKeys): boolean {
  const { signature, ...signed } = checkpoint
  const key = trusted.get(checkpoint.kid)
  return key !== undefined && verifyText(canonicalJson(signed), signature, key)
}
