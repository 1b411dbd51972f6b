import { html } from 'htm/preact'
import { get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { CopyButton } from '../../parts/buttons/copy.js'
import { RiskCurve } from '../../parts/chart/risk-curve.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { Facts } from '../../parts/facts.js'
import { Figures } from '../../parts/evidence/figures.js'
import { formatBytes, formatInstant, formatNumber } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { productionFacts } from '../../parts/evidence/production.js'
import { Score } from '../../parts/evidence/score.js'
import { ArtifactState, isExpired } from './artifacts.js'
import { RunFile } from './batch/run-file.js'
import { LeavesTable } from './leaves-table.js'
import { shareArtifact } from './share-artifact.js'
import { TryForm } from './try-form.js'
/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/artifacts.ts').GetArtifactAnswer>} Artifact */

/** One artifact: its facts and figures, its certificate, and a form that runs it. */
export function ArtifactPage() {
  const { argument } = usePage()
  const path = `/v1/artifacts/${encodeURIComponent(argument)}`
  const read = useRead(async (signal) => /** @type {Artifact} */ (await get(path, signal)), [path])
  return html`<${Reading} of=${read}>
    ${(/** @type {Artifact} */ artifact) => html`<${ArtifactView} artifact=${artifact} />`}
  <//>`
}

/** @param {{ artifact: Artifact }} props */
function ArtifactView({ artifact }) {
  const { session } = usePage()
  const actions = useActions()
  const isLive = artifact.status !== 'revoked' && !isExpired(artifact)
  const share = () => actions.run(async () => await shareArtifact(artifact, session.can('run')))
  return html`<p class="lead">${artifact.name}</p>
    <${ArtifactFacts} artifact=${artifact} />
    <${LeavesTable} leaves=${artifact.leaves} />
    <${Figures} figures=${artifact.figures} />
    <${ErrorBox} error=${actions.error} />
    <div class="buttons">
      ${isLive && html`<a class="button primary" href=${artifact.download_url} download="">Download .svc</a>`}
      ${isLive && session.can('artifacts:export') && html`<button type="button" onClick=${share}>Share</button>`}
      <${CopyButton} text=${artifact.cid} label="Copy CID" />
      <a class="button" href="#/job/${artifact.id}">How it was made</a>
    </div>
    ${
      artifact.certificate !== null &&
      html`<h2>Certificate</h2>
        <p>${artifact.certificate.statement}</p>
        <${RiskCurve} calibration=${artifact.certificate} />`
    }
    ${
      isLive &&
      session.can('run') &&
      html`<${TryForm} versionId=${artifact.version_id} /><${RunFile} versionId=${artifact.version_id} />`
    }`
}

/** @param {{ artifact: Artifact }} props */
function ArtifactFacts({ artifact }) {
  const { on_doubt: onDoubt, base_model: base, expires_at: end } = artifact
  return html`<${Facts}
    facts=${[
      ['State', html`<${ArtifactState} artifact=${artifact} />`],
      ['K-score', html`<${Score} score=${artifact.k_score} interval=${artifact.k_interval} />`],
      ...productionFacts(artifact),
      ['Kind', artifact.recipe_kind],
      base !== 'none' && ['Base model', base],
      ['Held-out rows', formatNumber(artifact.holdout_count)],
      onDoubt !== null && ['In doubt', onDoubt === 'abstain' ? 'It abstains' : 'It answers'],
      ['Size', formatBytes(artifact.bytes)],
      ['Signed', formatInstant(artifact.signed_at)],
      end !== null && ['Ends', formatInstant(end)],
      ['CID', html`<code class="long">${artifact.cid}</code>`],
      ['Archive', html`<code class="long">${artifact.archive_hash}</code>`],
      ['Version', html`<code class="long">${artifact.version_id}</code>`],
    ]}
  />`
}
