import { html } from 'htm/preact'
import { ApiError, get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { CopyButton } from '../../parts/buttons/copy.js'
import { RiskCurve } from '../../parts/chart/risk-curve.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { Facts } from '../../parts/facts.js'
import { Figures } from '../../parts/evidence/figures.js'
import { formatBytes, formatInstant } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { productionFacts } from '../../parts/evidence/production.js'
import { Score } from '../../parts/evidence/score.js'
import { DiagnosisSection } from './about/diagnosis.js'
import { HeldOutRows } from './about/held-out-rows.js'
import { LeavesTable } from './about/leaves-table.js'
import { Lineage } from './about/lineage.js'
import { Recipe } from './about/recipe.js'
import { Verdict } from './about/verdict.js'
import { ArtifactState, isExpired } from './artifacts.js'
import { Life } from './life/life.js'
import { RunFile } from './batch/run-file.js'
import { shareArtifact } from './share-artifact.js'
import { TryForm } from './try/try-form.js'
import { Snippets } from './use/snippets-view.js'
/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/artifacts.ts').GetArtifactAnswer>} Artifact */
/**
 * @typedef {Omit<import('zod').output<typeof
 * import('../../../core/compile/wire/artifacts/code.ts').GetArtifactRecipeAnswer>, 'artifact_id'>} ReadRecipe
 */

/** One artifact: what it does and how well, its rows, ways to run it, and where it comes from. */
export function ArtifactPage() {
  const { argument } = usePage()
  const path = `/v1/artifacts/${encodeURIComponent(argument)}`
  const read = useRead(
    async (signal) => {
      /** @type {Artifact} */
      const artifact = await get(path, signal)
      return { artifact, recipe: isLive(artifact) ? await readRecipe(artifact, signal) : undefined }
    },
    [path],
  )
  return html`<${Reading} of=${read}>
    ${(/** @type {{ artifact: Artifact, recipe: ReadRecipe | undefined }} */ known) => html`<${ArtifactView} ...${known} />`}
  <//>`
}

/**
 * Reads the recipe in words. An archive that is too large to be opened for that can be run all the same.
 *
 * @param {Artifact} artifact
 * @param {AbortSignal} signal
 * @returns {Promise<ReadRecipe>}
 */
async function readRecipe({ id, recipe_kind: kind }, signal) {
  try {
    return await get(`/v1/artifacts/${encodeURIComponent(id)}/recipe`, signal)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'payload_too_large') throw error
    const recipeKind = /** @type {ReadRecipe['recipe_kind']} */ (kind)
    return { recipe_kind: recipeKind, lines: [], code: [], expression: null, input: null, example: null }
  }
}

/** @param {{ artifact: Artifact, recipe: ReadRecipe | undefined }} props */
function ArtifactView({ artifact, recipe }) {
  const { session } = usePage()
  const actions = useActions()
  const share = () => actions.run(async () => await shareArtifact(artifact, session.can('run')))
  const mayRun = recipe !== undefined && session.can('run')
  return html`<p class="lead">${artifact.name}</p>
    <${Verdict} artifact=${artifact} />
    <${ArtifactFacts} artifact=${artifact} />
    <${ErrorBox} error=${actions.error} />
    <div class="buttons">
      ${isLive(artifact) && html`<a class="button primary" href=${artifact.download_url} download="">Download .svc</a>`}
      ${isLive(artifact) && session.can('artifacts:export') && html`<button type="button" onClick=${share}>Share</button>`}
      <${CopyButton} text=${artifact.cid} label="Copy CID" />
      <a class="button" href="#/job/${artifact.id}">How it was made</a>
    </div>
    ${mayRun && html`<${TryForm} versionId=${artifact.version_id} recipe=${recipe} />`}
    ${recipe && html`<${Recipe} id=${artifact.id} kind=${artifact.in_words?.kind} recipe=${recipe} />`}
    ${mayRun && html`<${RunFile} versionId=${artifact.version_id} />`}
    ${recipe && html`<${Snippets} versionId=${artifact.version_id} recipe=${recipe} />`}
    ${session.can('compile:read') && html`<${HeldOutRows} id=${artifact.job_id} />`}
    ${isLive(artifact) && html`<${DiagnosisSection} cid=${artifact.cid} stored=${artifact.stored_reports ?? []} />`}
    <${LeavesTable} leaves=${artifact.leaves} />
    <${Figures} figures=${artifact.figures} />
    ${
      artifact.certificate !== null &&
      html`<h2>Certificate</h2>
        <p>${artifact.certificate.statement}</p>
        <${RiskCurve} calibration=${artifact.certificate} />`
    }
    <${Life} artifact=${artifact} />
    <${Lineage} artifact=${artifact} />`
}

/** @param {Artifact} artifact */
function isLive(artifact) {
  return artifact.status !== 'revoked' && !isExpired(artifact)
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
