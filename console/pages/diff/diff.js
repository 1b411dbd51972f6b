import { html } from 'htm/preact'
import { call, get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { Facts } from '../../parts/facts.js'
import { formatInstant, formatScore } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { AxesTable } from './axes-table.js'
import { DifferingRows } from './differing-rows.js'
import { FlippedRows } from './flipped-rows.js'
import { RecipeChanges } from './recipe-changes.js'
/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/artifacts/diff.ts').DiffAnswer>} Diff */

/** Words for a recommendation, with the status that colours it. */
const ADVICE = /** @type {const} */ ({
  promote: ['ready', 'Promote the second'],
  roll_back: ['failed', 'Roll back to the first'],
  inconclusive: ['queued', 'Inconclusive'],
})

/** Words for the relation of the second artifact to the first. */
const RELATIONS = {
  same: 'Both are the same artifact.',
  descendant: 'The second is built on the first.',
  ancestor: 'The first is built on the second.',
  sibling: 'They share a version or their concept.',
  unrelated: 'They are not related.',
}

/** Two artifacts side by side; the address names them: `#/diff/cmp_…..cmp_…`. */
export function DiffPage() {
  const { argument } = usePage()
  const read = useRead(async (signal) => await readDiff(argument, signal), [argument])
  return html`<${Reading} of=${read}>${(/** @type {Diff} */ diff) => html`<${DiffView} diff=${diff} />`}<//>`
}

/**
 * @param {string} argument
 * @param {AbortSignal} signal
 * @returns {Promise<Diff>}
 */
async function readDiff(argument, signal) {
  const ids = argument.split('..').filter((id) => id !== '')
  if (ids.length !== 2) {
    throw new Error('This address does not name two artifacts. Open an artifact and choose what to compare it with')
  }
  const [a, b] = await Promise.all(
    ids.map(async (id) => {
      /** @type {{ cid: string }} */
      const { cid } = await get(`/v1/artifacts/${encodeURIComponent(id)}`, signal)
      return cid
    }),
  )
  return await call('POST', '/v1/artifact/diff', { a_cid: a, b_cid: b }, { signal })
}

/** @param {{ diff: Diff }} props */
function DiffView({ diff }) {
  const { a, b, recommendation, reason, roll_back_hint: hint, lineage_relation: relation, performance } = diff
  const [status, advice] = ADVICE[recommendation]
  return html`<p><${Badge} status=${status} text=${advice} /> ${reason}</p>
    ${hint !== null && html`<p>${hint}</p>`}
    <p class="quiet">
      ${RELATIONS[relation]}${' '}
      ${relation !== 'same' && html`<a href="#/diff/${b.artifact_id}..${a.artifact_id}">Compare the other way round</a>`}
    </p>
    <div class="sides">
      <${Side} title="First" side=${a} />
      <${Side} title="Second" side=${b} />
    </div>
    <h2>Measures</h2>
    <${AxesTable} axes=${performance.axes} />
    <${FlippedRows} flipped=${diff.flipped} paired=${performance.paired} />
    <${DifferingRows} runs=${diff.runs} />
    <${RecipeChanges} members=${diff.members} recipes=${diff.recipes} />`
}

/** @param {{ title: string, side: Diff['a'] }} props */
function Side({ title, side }) {
  return html`<section aria-label=${title}>
    <h2>${title}: <a href="#/artifact/${side.artifact_id}">${side.name}</a></h2>
    <${Facts}
      facts=${[
        ['State', html`<${Badge} status=${side.state} />`],
        ['K-score', formatScore(side.k_score)],
        ['Kind', side.recipe_kind],
        ['Made', formatInstant(side.created_at)],
        ['CID', html`<code class="long">${side.cid}</code>`],
      ]}
    />
  </section>`
}
