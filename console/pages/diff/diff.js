import { html } from 'htm/preact'
import { get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { Facts } from '../../parts/facts.js'
import { formatInstant, formatScore } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { Comparison } from './comparison.js'
/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/artifacts/diff.ts').DiffAnswer>} Diff */
/** @typedef {import('../artifacts/artifact.js').Artifact} Artifact */

/** Two artifacts side by side; the address names them: `#/diff/cmp_…..cmp_…`. */
export function DiffPage() {
  const { argument } = usePage()
  const read = useRead(async (signal) => await readSides(argument, signal), [argument])
  return html`<${Reading} of=${read}>
    ${(/** @type {readonly [Artifact, Artifact]} */ [a, b]) =>
      html`<div class="sides">
          <${Side} title="First" side=${a} />
          <${Side} title="Second" side=${b} />
        </div>
        <${Comparison} a=${a.cid} b=${b.cid} />`}
  <//>`
}

/**
 * @param {string} argument
 * @param {AbortSignal} signal
 * @returns {Promise<readonly [Artifact, Artifact]>}
 */
async function readSides(argument, signal) {
  const [a = '', b = '', ...others] = argument.split('..').filter((id) => id !== '')
  if (b === '' || others.length > 0) {
    throw new Error('This address does not name two artifacts. Open an artifact and choose what to compare it with')
  }
  const read = async (/** @type {string} */ id) =>
    /** @type {Artifact} */ (await get(`/v1/artifacts/${encodeURIComponent(id)}`, signal))
  return await Promise.all([read(a), read(b)])
}

/** @param {{ title: string, side: Artifact }} props */
function Side({ title, side }) {
  return html`<section aria-label=${title}>
    <h2>${title}: <a href="#/artifact/${side.id}">${side.name}</a></h2>
    <${Facts}
      facts=${[
        ['State', html`<${Badge} status=${side.status} />`],
        ['K-score', formatScore(side.k_score)],
        ['Kind', side.recipe_kind],
        ['Made', formatInstant(side.created_at)],
        ['CID', html`<code class="long">${side.cid}</code>`],
      ]}
    />
  </section>`
}
