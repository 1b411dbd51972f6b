import { html } from 'htm/preact'
import { ApiError, get } from '../../../api.js'
import { usePage } from '../../../app/use-page.js'
import { learnedFacts } from '../../../parts/evidence/captures.js'
import { Facts } from '../../../parts/facts.js'
import { formatInstant, formatNumber, formatScore } from '../../../parts/format.js'
import { Reading } from '../../../parts/read/reading.js'
import { useRead } from '../../../parts/read/use-read.js'
import { Dependencies } from '../graph/dependencies.js'
import { Versions } from './versions.js'
/** @typedef {import('../artifact.js').Artifact} Artifact */
/** @typedef {import('zod').output<typeof import('../../../../core/compile/wire/concepts.ts').GetConceptAnswer>} Concept */

/**
 * Where an artifact comes from, and the versions of its concept.
 *
 * @param {{ artifact: Artifact }} props
 */
export function Lineage({ artifact }) {
  const { session } = usePage()
  return html`<section aria-labelledby="lineage">
    <h2 id="lineage">Lineage</h2>
    <${Origin} artifact=${artifact} />
    ${session.can('concepts:read') && html`<${ConceptVersions} artifact=${artifact} />`}
    <${Dependencies} id=${artifact.id} />
  </section>`
}

/** @param {{ artifact: Artifact }} props */
function Origin({ artifact: { job_id: jobId, origin, accepted, concept_id: conceptId } }) {
  const earlier = origin?.earlier_job
  return html`<${Facts}
    facts=${[
      ['Compiled by', html`<a class="id" href="#/job/${jobId}">${jobId}</a>`],
      earlier !== undefined && [
        'Examples of',
        html`<a class="id" href="#/job/${earlier}">${earlier}</a>, compiled again`,
      ],
      accepted !== undefined && [
        'Accepted',
        `at K ${formatScore(accepted.k_score)}, below the floor of ${formatScore(accepted.k_score_floor)}, on ${formatInstant(accepted.at)}`,
      ],
      origin && ['Examples', formatNumber(origin.examples_n)],
      ...learnedFacts(origin?.captures),
      origin && ['Digest of them', html`<code class="long">${origin.dataset_hash}</code>`],
      ['Concept', html`<code class="long">${conceptId}</code>`],
    ]}
  />`
}

/** @param {{ artifact: Artifact }} props */
function ConceptVersions({ artifact: { id, concept_id: conceptId } }) {
  const path = `/v1/concepts/${encodeURIComponent(conceptId)}`
  const read = useRead(async (signal) => await readConcept(path, signal), [path])
  return html`<${Reading} of=${read}>
    ${(/** @type {{ concept: Concept | null }} */ { concept }) =>
      concept === null
        ? html`<p class="quiet">Its concept was deleted; the artifact stays, and can still be verified.</p>`
        : html`<${Versions} versions=${concept.versions} artifactId=${id} />`}
  <//>`
}

/**
 * @param {string} path
 * @param {AbortSignal} signal
 * @returns {Promise<{ concept: Concept | null }>} null for a concept that was deleted
 */
async function readConcept(path, signal) {
  try {
    return { concept: await get(path, signal) }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { concept: null }
    throw error
  }
}
