import { html } from 'htm/preact'
import { Heading } from '../../../parts/facts.js'
import { formatNumber, formatPercent } from '../../../parts/format.js'
import { Table } from '../../../parts/table/table.js'
import { figure } from './runs.js'
/** @typedef {import('zod').output<typeof import('../../../../core/learn/wire/distill/held-out-labels.ts').HeldOutLabels>} Labels */
/** @typedef {import('zod').output<typeof import('../../../../core/learn/wire/distill/held-out-labels.ts').DoubtfulLabel>} Suspect */

/**
 * Held-out rows whose label is doubtful, and the K-score without them.
 *
 * @param {{ labels: Labels, kScore: number | null }} props
 */
export function HeldOutLabelsPart({ labels, kScore }) {
  return html`<${Heading} text="Held-out labels" />
    <p>${summaryOf(labels, kScore)}</p>
    ${
      labels.status === 'checked' &&
      labels.suspects.length > 0 &&
      html`<${Table}
        caption="Doubtful labels, the likeliest first"
        rows=${labels.suspects}
        empty="None."
        keyOf=${(/** @type {Suspect} */ { row_id: id }) => id}
        columns=${COLUMNS}
      />`
    }`
}

/**
 * @param {Labels} labels
 * @param {number | null} kScore
 */
function summaryOf(labels, kScore) {
  if (labels.status === 'not_checked') return `Not checked. ${labels.message}`
  const { rows, doubtful, without_doubtful: without } = labels
  if (doubtful === 0) return `None of ${formatNumber(rows)} labels is doubtful.`
  const counted = `${formatNumber(doubtful)} of ${formatNumber(rows)} labels are doubtful.`
  if (without === null) return counted
  return `${counted} Without these rows K would be ${figure(without.k_score)} in place of ${figure(kScore)}. For information only: the gate uses all held-out rows.`
}

/** @type {readonly import('../../../parts/table/table.js').Column<Suspect>[]} */
const COLUMNS = [
  { title: 'Row', cell: ({ row_id: id }) => html`<code>${id}</code>`, isWide: true },
  { title: 'Given', cell: ({ given }) => given },
  { title: 'Expected', cell: ({ suggested }) => suggested },
  { title: 'Probability', cell: ({ probability }) => formatPercent(probability), isNumeric: true },
]
