import { html } from 'htm/preact'
import { formatNumber, formatWord } from '../../parts/format.js'
import { ValueText } from '../../parts/table/members.js'
import { Table } from '../../parts/table/table.js'
/** @typedef {import('./diff.js').Diff['runs']} Runs */
/** @typedef {Runs['rows'][number]} Row */

/**
 * The stored inputs that two artifacts answer differently.
 *
 * @param {{ runs: Runs }} props
 */
export function DifferingRows({ runs }) {
  const { why, inputs, ran, differing, rows } = runs
  return html`<h2>Inputs that they answer differently</h2>
    ${
      why === null
        ? html`<p class="quiet">
              Both were run on ${formatNumber(ran)} of ${formatNumber(inputs)} stored inputs: ${formatNumber(differing)}
              ${' '}answers
              differ${rows.length < differing ? `, of which the first ${formatNumber(rows.length)} are shown` : ''}.
              These are the signed recipes, which have learned from most of the rows.
            </p>
            <${Table}
              caption="Inputs that they answer differently"
              rows=${rows}
              empty="Every answer is the same."
              filter=${(/** @type {Row} */ { input }) => JSON.stringify(input)}
              columns=${COLUMNS}
            />`
        : html`<p>They were not run: ${formatWord(why)}.</p>`
    }`
}

/** @type {readonly import('../../parts/table/table.js').Column<Row>[]} */
const COLUMNS = [
  { title: 'Row', cell: ({ row_a: a, row_b: b }) => html`<code class="id">${b ?? a}</code>` },
  { title: 'Input', cell: ({ input }) => html`<${ValueText} value=${input} />`, isWide: true },
  {
    title: 'Expected',
    cell: ({ expected }) =>
      expected === undefined ? html`<span class="quiet">changed</span>` : html`<${ValueText} value=${expected} />`,
    isWide: true,
  },
  { title: 'First', cell: ({ a }) => answerOf(a), isWide: true },
  { title: 'Second', cell: ({ b }) => answerOf(b), isWide: true },
]

/** @param {Row['a']} answer */
function answerOf({ output, abstained, error, right }) {
  if (error !== null) return html`<span class="quiet">${formatWord(error)}</span>`
  if (abstained) return html`<span class="quiet">no answer</span>`
  const mark = right === null ? '' : right ? ' ✓' : ' ✗'
  return html`<${ValueText}
      value=${output}
    />${mark !== '' && html`<span class="quiet" title=${right ? 'right' : 'wrong'}>${mark}</span>`}`
}
