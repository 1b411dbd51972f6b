import { html } from 'htm/preact'
import { Badge } from '../../parts/badge.js'
/** @typedef {import('./artifacts.js').Artifact} Artifact */

/** @param {{ artifact: Artifact }} props */
export function ArtifactState({ artifact }) {
  const why = (artifact.review_reasons ?? []).map(({ text }) => text).join('; ')
  return html`<${Badge} status=${isExpired(artifact) ? 'expired' : artifact.status} />
    ${artifact.needs_review && ' '}${artifact.needs_review && html`<span title=${why}><${Badge} status="warned" text="needs review" /></span>`}`
}

/**
 * Whether an artifact may be downloaded and run.
 *
 * @param {Pick<Artifact, 'status' | 'expires_at'>} artifact
 */
export function isLive(artifact) {
  return artifact.status !== 'revoked' && !isExpired(artifact)
}

/** @param {Pick<Artifact, 'expires_at'>} artifact */
function isExpired({ expires_at: end }) {
  return end !== null && new Date(end) <= new Date()
}
