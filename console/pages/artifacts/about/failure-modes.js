import { html } from 'htm/preact'
import { formatNumber, formatPercent, formatScore } from '../../../parts/format.js'
import { Table } from '../../../parts/table/table.js'

/** @typedef {import('zod').output<typeof import('../../../../core/compile/wire/artifacts/diagnosis.ts').FailureModesAnswer>} Modes */
/** @typedef {Modes['clusters'][number]} Mode */
/** @typedef {Mode['rows'][number]} ModeRow */

/**
 * The failure modes of an artifact, each with its figures and the first of its wrong rows.
 *
 * @param {{ modes: Modes }} props
 */
export function FailureModes({ modes: { clusters, wrong, n, unexplained } }) {
  if (wrong === 0) return html`<p>All ${formatNumber(n)} rows are right.</p>`
  const counted = `${formatNumber(wrong)} of ${formatNumber(n)} rows are wrong.`
  if (clusters.length === 0)
    return html`<h3>Failure modes</h3>
      <p>${counted} They have no pattern that is more than chance.</p>`
  return html`<h3>Failure modes</h3>
    <p>${counted} ${formatNumber(unexplained)} of them are in none of these.</p>
    <ol class="modes">
      ${clusters.map((mode) => html`<${ModeCard} key=${mode.cluster_id} mode=${mode} />`)}
    </ol>`
}

/** @param {{ mode: Mode }} props */
function ModeCard({ mode }) {
  const { title, n, wrong, accuracy, k_score_ci_lo: low, k_score_ci_hi: high, rows, lift } = mode
  const p = mode.p_adjusted ?? mode.p_value
  return html`<li>
    <details>
      <summary>${title} <span class="quiet">${formatNumber(wrong)} of ${formatNumber(n)} rows are wrong</span></summary>
      <p class="quiet">
        ${formatPercent(accuracy)} right; K ${formatScore(mode.k_score)} (${formatScore(low)}–${formatScore(high)});
        ${lift !== null && ` ${lift.toFixed(1)} times as often wrong as all rows;`}
        ${mode.p_adjusted === null ? ' p ' : ' adjusted p '}${p < 0.0001 ? '< 0.0001' : p.toFixed(4)}
      </p>
      <${Table}
        caption="Wrong rows of ${title}"
        rows=${rows}
        empty="The content of these rows is not kept."
        keyOf=${(/** @type {ModeRow} */ { id }) => id}
        columns=${COLUMNS}
      />
    </details>
  </li>`
}

/** @type {readonly import('../../../parts/table/table.js').Column<ModeRow>[]} */
const COLUMNS = [
  { title: 'Row', cell: ({ id }) => html`<code>${id}</code>` },
  { title: 'Input', cell: ({ input }) => value(input), isWide: true },
  { title: 'Expected', cell: ({ expected }) => value(expected) },
  { title: 'Got', cell: ({ got }) => value(got) },
]

/** @param {unknown} given undefined where only digests of the row are kept */
function value(given) {
  if (given === undefined) return html`<span class="quiet">not kept</span>`
  return html`<span class="value">${typeof given === 'string' ? given : JSON.stringify(given)}</span>`
}
