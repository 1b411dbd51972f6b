import { get } from '../../api.js'
import { copyButton } from '../../parts/buttons/copy.js'
import { element } from '../../parts/dom.js'
import { createTrouble } from '../../parts/error.js'
import { formatBytes, formatInstant, formatNumber } from '../../parts/format.js'
import { leavesTable } from './leaves-table.js'
import { figureFacts } from '../../parts/figures.js'
import { riskCurve } from '../../parts/charts/risk-curve.js'
import { scoreBar } from '../../parts/score.js'
import { factList } from '../../parts/table.js'
import { isExpired, stateOf } from './artifacts.js'
import { shareArtifact } from './share-links.js'
import { tryForm } from './try-form.js'
/** @typedef {import('./artifacts.js').Artifact} Artifact */
/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/artifacts.ts').GetArtifactAnswer>} ArtifactInFull */

/** @type {import('../index.js').Page} */
export const artifactPage = {
  title: 'Artifact',
  within: 'artifacts',
  scope: 'artifacts:read',
  async load({ argument, signal, session }) {
    /** @type {ArtifactInFull} */
    const artifact = await get(`/v1/artifacts/${encodeURIComponent(argument)}`, signal)
    const trouble = createTrouble()
    const isLive = artifact.status !== 'revoked' && !isExpired(artifact)
    const share = () => trouble.run(async () => await shareArtifact(artifact))
    return [
      element('p', { class: 'lead' }, artifact.name),
      facts(artifact),
      ...leavesTable(artifact.leaves),
      ...figureFacts(artifact.figures),
      trouble.outlet,
      element(
        'div',
        { class: 'buttons' },
        isLive && element('a', { class: 'button primary', href: artifact.download_url, download: '' }, 'Download .svc'),
        isLive && session.can('artifacts:export') && element('button', { type: 'button', onclick: share }, 'Share'),
        copyButton(artifact.cid, 'Copy CID'),
        element('a', { class: 'button', href: `#/job/${artifact.id}` }, 'How it was made'),
      ),
      ...certificate(artifact),
      ...(isLive && session.can('run') ? tryForm(artifact.version_id) : []),
    ]
  },
}

/**
 * The promise in words, and the curve that it was chosen from.
 *
 * @param {ArtifactInFull} artifact
 */
function certificate({ certificate: promise }) {
  if (promise === null) return []
  return [element('h2', {}, 'Certificate'), element('p', {}, promise.statement), riskCurve(promise)]
}

/** @param {ArtifactInFull} artifact */
function facts(artifact) {
  return factList([
    ['State', stateOf(artifact)],
    ['K-score', scoreBar(artifact.k_score, artifact.k_interval)],
    ['Kind', artifact.recipe_kind],
    artifact.base_model !== 'none' && ['Base model', artifact.base_model],
    ['Held-out rows', formatNumber(artifact.holdout_count)],
    artifact.on_doubt !== null && ['In doubt', artifact.on_doubt === 'abstain' ? 'It abstains' : 'It answers'],
    ['Size', formatBytes(artifact.bytes)],
    ['Signed', formatInstant(artifact.signed_at)],
    artifact.expires_at !== null && ['Ends', formatInstant(artifact.expires_at)],
    ['CID', element('code', { class: 'long' }, artifact.cid)],
    ['Archive', element('code', { class: 'long' }, artifact.archive_hash)],
    ['Version', element('code', { class: 'long' }, artifact.version_id)],
  ])
}
