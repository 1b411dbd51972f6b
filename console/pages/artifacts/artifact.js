import { html } from 'htm/preact'
import { ApiError, get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { CopyButton } from '../../parts/buttons/copy.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { Facts } from '../../parts/facts.js'
import { formatBytes, formatInstant } from '../../parts/format.js'
import { further } from '../../parts/read/further.js'
import { loadPart } from '../../parts/read/load-part.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { productionFacts } from '../../parts/evidence/production.js'
import { Score } from '../../parts/evidence/score.js'
import { Recipe } from './about/recipe.js'
import { Verdict } from './about/verdict.js'
import { ArtifactState, isLive } from './artifact-state.js'
import { RunFile } from './batch/run-file.js'
import { TryForm } from './try/try-form.js'
import { Snippets } from './use/snippets-view.js'
/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/artifacts.ts').GetArtifactAnswer>} Artifact */
/**
 * @typedef {Omit<import('zod').output<typeof
 * import('../../../core/compile/wire/artifacts/code.ts').GetArtifactRecipeAnswer>, 'artifact_id'>} ReadRecipe
 */

const Evidence = further(async () => (await import('./about/evidence.js')).Evidence)

/** One artifact: what it does and how well, its rows, ways to run it, and where it comes from. */
export function ArtifactPage() {
  const { argument } = usePage()
  const path = `/v1/artifacts/${encodeURIComponent(argument)}`
  const read = useRead(async (signal) => /** @type {Artifact} */ (await get(path, signal)), [path])
  return html`<${Reading} of=${read}
    >${(/** @type {Artifact} */ artifact) => html`<${ArtifactView} artifact=${artifact} />`}<//
  >`
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

/** @param {{ artifact: Artifact }} props */
function ArtifactView({ artifact }) {
  const { session } = usePage()
  const actions = useActions()
  const share = () =>
    actions.run(async () => {
      const { shareArtifact } = await loadPart(async () => await import('./share-artifact.js'))
      await shareArtifact(artifact, session.can('run'))
    })
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
    ${isLive(artifact) && html`<${InUse} artifact=${artifact} />`}
    <${Evidence} artifact=${artifact} />`
}

/**
 * The recipe of an artifact, and the ways to run it.
 *
 * @param {{ artifact: Artifact }} props
 */
function InUse({ artifact }) {
  const { session } = usePage()
  const { id, version_id: versionId, in_words: words } = artifact
  const mayRun = session.can('run')
  const read = useRead(async (signal) => await readRecipe(artifact, signal), [id])
  return html`<${Reading} of=${read}>
    ${(/** @type {ReadRecipe} */ recipe) =>
      html`${mayRun && html`<${TryForm} versionId=${versionId} recipe=${recipe} />`}
        <${Recipe} id=${id} kind=${words?.kind} recipe=${recipe} />
        ${mayRun && html`<${RunFile} versionId=${versionId} />`}
        <${Snippets} versionId=${versionId} recipe=${recipe} />`}
  <//>`
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
