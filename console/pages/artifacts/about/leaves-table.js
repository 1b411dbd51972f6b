import { html } from 'htm/preact'
import { formatNumber, formatScore } from '../../../parts/format.js'
import { Table } from '../../../parts/table/table.js'
/** @typedef {import('zod').output<typeof import('../../../../core/compile/wire/jobs/leaves.ts').LeafView>} Leaf */

/** @type {readonly import('../../../parts/table/table.js').Column<Leaf>[]} */
const COLUMNS = [
  { title: 'Leaf', cell: nameOf, isWide: true },
  { title: 'Kind', cell: ({ kind }) => kind },
  { title: 'Accuracy and its interval', cell: accuracyOf, sort: ({ accuracy }) => accuracy },
  { title: 'Rows', cell: ({ n }) => formatNumber(n), sort: ({ n }) => n, isNumeric: true },
]

/**
 * The leaves of a composite recipe in the order of its tree, each with its kind and its accuracy.
 *
 * @param {{ leaves: readonly Leaf[] }} props
 */
export function LeavesTable({ leaves }) {
  return html`<h2>Leaves</h2>
    <${Table}
      caption="Leaves of the recipe"
      rows=${leaves}
      empty="The recipe has no leaf."
      filter=${(/** @type {Leaf} */ { path, kind }) => `${path} ${kind}`}
      columns=${COLUMNS}
    />`
}

/** @param {Leaf} leaf */
function accuracyOf({ accuracy, interval }) {
  const range = `${formatScore(interval.low)}–${formatScore(interval.high)}`
  return html`<span class="interval">${formatScore(accuracy)}<span class="quiet">${range}</span></span>`
}

/**
 * The place of a leaf in the output, step by step; the last step stands out.
 *
 * @param {Leaf} leaf
 */
function nameOf({ path, part }) {
  const steps = path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const above = steps.slice(0, -1).map((step) => `${step} › `)
  return html`<code title=${path}>
    <span class="quiet">${above.join('')}</span>${steps.at(-1) ?? 'the output'}${part === 'present' && ' is there'}
  </code>`
}
