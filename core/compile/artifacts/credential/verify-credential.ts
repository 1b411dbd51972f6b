import type { JsonObject } from '../../../kernel/json/json.ts'
import type { TrustedKeys } from '../../../ledger/keys/jwk.ts'
import type { SecretState } from '../../../ledger/keys/secret-lookup.ts'
import { checkCredentialSignature, Credential, hasRightMac } from './credential.ts'

/** The state of an artifact whose credential is verified. */
export interface CredentialStanding {
  readonly state: string
  readonly isRevoked: boolean
}

/** A receipt secret, with the tenant that owns it. */
type OwnedSecret = SecretState & { readonly tenantId?: string }

/** Sources of a credential's verification. */
export interface CredentialSources {
  readonly findSecret: (keyId: string) => Promise<OwnedSecret>
  /** Finds the state of the artifact in the tenant that owns the secret; undefined when it is gone. */
  readonly findStanding: (
    tenantId: string,
    artifact: { readonly id: string; readonly hash: string },
  ) => Promise<CredentialStanding | undefined>
  /** The published keys of the service. */
  readonly keys: TrustedKeys
}

/** The verdict on a credential: valid when there is no reason against it. */
export interface CredentialVerdict {
  readonly valid: boolean
  /** `spec` and `type` as the credential states them; empty where it states no text. */
  readonly spec: string
  readonly type: string
  readonly reasons: readonly string[]
  readonly checks: Readonly<Record<string, boolean>>
  readonly credential?: Credential
  /** State of the artifact, where both signatures are right. */
  readonly state?: string
}

/**
 * Verifies a credential against the receipt secret that it names, the published keys, and the state of its artifact.
 * The artifact is looked up only after both signatures, so a forged credential learns nothing of any artifact.
 */
export async function verifyCredential(given: JsonObject, sources: CredentialSources): Promise<CredentialVerdict> {
  const stated = { spec: textOf(given['spec']), type: textOf(given['type']) }
  const { success, data: credential, error } = Credential.safeParse(given)
  if (!success) {
    const field = error.issues[0]?.path.map(String).join('.').slice(0, 100) ?? ''
    return { valid: false, ...stated, reasons: [`malformed_field:${field}`], checks: {} }
  }
  const secret = await sources.findSecret(credential.key_id)
  if (secret.state !== 'live' || secret.tenantId === undefined) {
    const reason = secret.state === 'pruned' ? 'receipt_secret_pruned' : 'key_id_unknown'
    return { valid: false, ...stated, reasons: [reason], checks: {} }
  }
  const hmac = hasRightMac(credential, secret.secret)
  const signature = checkCredentialSignature(credential, sources.keys)
  const signatures = { hmac, ed25519: signature === 'trusted' }
  const wrong = [
    ...(hmac ? [] : ['hmac_mismatch']),
    ...(signature === 'trusted' ? [] : [signature === 'invalid' ? 'ed25519_mismatch' : 'signing_key_not_published']),
  ]
  if (wrong.length > 0) return { valid: false, ...stated, reasons: wrong, checks: signatures }
  const { artifact_id: id, artifact_hash: hash } = credential
  const standing = await sources.findStanding(secret.tenantId, { id, hash })
  const reasons = standing === undefined ? ['artifact_unknown'] : standing.isRevoked ? ['artifact_revoked'] : []
  return {
    valid: reasons.length === 0,
    ...stated,
    reasons,
    checks: { ...signatures, in_force: reasons.length === 0 },
    credential,
    ...(standing !== undefined && { state: standing.state }),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 64) : ''
}
