import { html } from 'htm/preact'
import { call } from '../../api.js'
import { Badge } from '../../parts/badge.js'
import { further } from '../../parts/read/further.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { AxesTable } from './axes-table.js'
/** @typedef {import('./diff.js').Diff} Diff */

const Differences = further(async () => (await import('./differences.js')).Differences)

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

/**
 * The comparison of two artifacts, for which the service runs both.
 *
 * @param {{ a: string, b: string }} props their CIDs
 */
export function Comparison({ a, b }) {
  const read = useRead(
    async (signal) => /** @type {Diff} */ (await call('POST', '/v1/artifact/diff', { a_cid: a, b_cid: b }, { signal })),
    [a, b],
  )
  return html`<${Reading} of=${read}>${(/** @type {Diff} */ diff) => html`<${ComparisonView} diff=${diff} />`}<//>`
}

/** @param {{ diff: Diff }} props */
function ComparisonView({ diff }) {
  const { a, b, recommendation, reason, roll_back_hint: hint, lineage_relation: relation, performance } = diff
  const [status, advice] = ADVICE[recommendation]
  return html`<p><${Badge} status=${status} text=${advice} /> ${reason}</p>
    ${hint !== null && html`<p>${hint}</p>`}
    <p class="quiet">
      ${RELATIONS[relation]}${' '}
      ${relation !== 'same' && html`<a href="#/diff/${b.artifact_id}..${a.artifact_id}">Compare the other way round</a>`}
    </p>
    <h2>Measures</h2>
    <${AxesTable} axes=${performance.axes} />
    <${Differences} diff=${diff} />`
}
