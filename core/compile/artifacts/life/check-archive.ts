import type { TrustedKeys } from '../../../ledger/keys/jwk.ts'
import type { Manifest } from '../../archive/members/documents.ts'
import type { Trace } from '../../archive/verify/trace.ts'
import { checkRevocations, findRevocation } from './revocation-list.ts'

/**
 * Checks an archive against a list of revoked ones. Fails when the list names the archive, and when it cannot be relied on.
 * A list that names another archive of the same content is a warning.
 */
export function checkRevocation(
  trace: Trace,
  document: unknown,
  { manifest, trusted }: { readonly manifest: Manifest; readonly trusted: TrustedKeys | undefined },
): void {
  const checked = checkRevocations(document, trusted)
  if (!checked.ok) {
    trace.fail('revocations', 'revocations_invalid', new Error(`the list of revocations: ${checked.problem}`))
    return
  }
  const { list, signature } = checked
  const { cid, artifact_hash: artifactHash } = manifest
  const { revoked, sameContent } = findRevocation(list, { cid, artifactHash })
  const name = `list ${list.number} of ${list.issued_at}`
  if (revoked !== null) {
    const words = `revoked at ${revoked.revoked_at}: entry ${revoked.number} of ${name}`
    trace.fail('revocations', 'revoked', new Error(words))
  } else if (sameContent !== null) {
    trace.warn('revocations', `another archive of the same content was revoked: entry ${sameContent.number} of ${name}`)
  } else if (signature === 'unknown_signer') {
    trace.warn('revocations', `not in ${name}, whose signer ${list.signature_ed25519.kid} is unknown`)
  } else {
    trace.pass('revocations', `not in ${name}`)
  }
}
