import { html } from 'htm/preact'
import { ApiError, call, get } from '../../../api.js'
import { ask } from '../../../parts/dialog/ask.js'
import { Field } from '../../../parts/form/field.js'
import { formatWord } from '../../../parts/format.js'
/** @typedef {import('../artifact.js').Artifact} Artifact */
/** @typedef {import('zod').output<typeof import('../../../../core/compile/wire/concepts.ts').GetConceptAnswer>} Concept */

/** Effects of a transition that are more than a word in the history. */
const EFFECTS = /** @type {Readonly<Record<string, string>>} */ ({
  revoked:
    'This is final. Downloads, runs and exports are refused everywhere at once, share links end, the artifact enters the public list of revocations, and artifacts that are built on it are flagged.',
  superseded: 'Its concept moves on to its newest version in force. It can still be run by its own version.',
  archived:
    'Archived is final. Its concept moves on to its newest version in force; it can still be run by its own version.',
})

/**
 * Asks for a reason, and for the successor of a superseded artifact, and moves an artifact to a state. Resolves to true when
 * it moved.
 *
 * @param {Artifact} artifact
 * @param {string} to
 */
export async function moveArtifact(artifact, to) {
  const isRevoking = to === 'revoked'
  const successors = to === 'superseded' ? await readSuccessors(artifact) : []
  const done = await ask({
    title: isRevoking ? 'Revoke this artifact?' : `Move this artifact to ${formatWord(to)}?`,
    body: html`${EFFECTS[to] !== undefined && html`<p>${EFFECTS[to]}</p>`}
      ${to === 'superseded' && html`<${Successor} options=${successors} />`}
      <${Field}
        label=${isRevoking ? 'Reason' : 'Reason (optional)'}
        name="reason"
        maxlength="500"
        required=${isRevoking}
        hint="Only your account sees it. It stands in the history and in the audit log."
      />`,
    confirm: isRevoking ? 'Revoke it for good' : `Move to ${formatWord(to)}`,
    isDangerous: isRevoking,
    perform: async (data) => {
      const [reason, successor] = [textOf(data, 'reason'), textOf(data, 'successor_id')]
      const path = `/v1/artifacts/${encodeURIComponent(artifact.id)}/lifecycle/transition`
      await call('POST', path, {
        to_state: to,
        ...(reason !== '' && { reason }),
        ...(successor !== '' && { successor_id: successor }),
      })
      return true
    },
  })
  return done === true
}

/** @param {{ options: readonly (readonly [string, string])[] }} props other versions; empty where there is none */
function Successor({ options }) {
  return options.length === 0
    ? html`<${Field}
        label="Artifact that takes its place"
        name="successor_id"
        required
        placeholder="cmp_…"
        hint="Its id: of an artifact of your account that is in force."
      />`
    : html`<${Field} label="Version that takes its place" name="successor_id" as="select" options=${options} />`
}

/**
 * Returns the other versions of the artifact's concept, newest first.
 *
 * @param {Artifact} artifact
 * @returns {Promise<readonly (readonly [string, string])[]>}
 */
async function readSuccessors({ id, concept_id: conceptId }) {
  try {
    /** @type {Concept} */
    const { versions } = await get(`/v1/concepts/${encodeURIComponent(conceptId)}`)
    return versions
      .filter(({ artifact_id: other }) => other !== id)
      .map(({ artifact_id: other, version }) => /** @type {const} */ ([other, `Version ${version}`]))
  } catch (error) {
    // A deleted concept, or a person who may not see concepts: the id is asked for.
    if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return []
    throw error
  }
}

/**
 * @param {FormData} data
 * @param {string} name
 */
function textOf(data, name) {
  const value = data.get(name)
  return typeof value === 'string' ? value.trim() : ''
}
