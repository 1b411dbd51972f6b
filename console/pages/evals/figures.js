import { html } from 'htm/preact'
import { formatNumber, formatScore } from '../../parts/format.js'
import { Table } from '../../parts/table/table.js'
/** @typedef {NonNullable<import('./evals.js').Evaluation['figures']>[number]} Figure */

/**
 * A figure as text.
 *
 * @param {Figure} figure
 */
export function figureText({ value }) {
  return value === null ? '–' : formatScore(value)
}

/**
 * The direction of a metric in words, where less is better.
 *
 * @param {{ higher_is_better: boolean }} figure
 */
export function directionText({ higher_is_better: isHigherBetter }) {
  return isHigherBetter ? '' : 'less is better'
}

/**
 * The figures of an evaluation with their intervals.
 *
 * @param {{ figures: readonly Figure[] }} props
 */
export function FiguresTable({ figures }) {
  return html`<${Table}
    caption="Figures"
    rows=${figures}
    empty="No figures yet: they are computed when all rows are scored."
    columns=${COLUMNS}
  />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Figure>[]} */
const COLUMNS = [
  {
    title: 'Metric',
    cell: (figure) =>
      html`<span class="named">
        ${figure.metric}<span class="quiet"
          >${[figure.task, figure.filter === 'none' ? '' : figure.filter, figure.slice ?? '', directionText(figure)]
            .filter(Boolean)
            .join(' · ')}</span
        >
      </span>`,
    isWide: true,
  },
  { title: 'Value', cell: figureText, sort: ({ value }) => value, isNumeric: true },
  {
    title: '95 % interval',
    cell: ({ interval }) =>
      interval === null ? '–' : `${formatScore(interval.low)} to ${formatScore(interval.high)} (${interval.method})`,
    isNumeric: true,
  },
  { title: 'Rows', cell: ({ n }) => formatNumber(n), sort: ({ n }) => n, isNumeric: true },
  {
    title: 'Smallest effect',
    // Rows that are all right, or all wrong, have no variance to compute it from.
    cell: ({ smallest_effect: effect }) => (effect === null ? '–' : formatScore(effect)),
    isNumeric: true,
  },
]
