import { badge } from './badge.js'
import { element } from './dom.js'
import { formatBytes, formatNumber, formatScore } from './format.js'
import { factList } from './table.js'

/** @typedef {import('zod').output<typeof import('../../core/kernel/wire/figure.ts').Figure>} Figure */
/** @typedef {import('zod').output<typeof import('../../core/compile/wire/jobs/figures.ts').Figures>} Figures */

/**
 * Titles and forms of the figures. An attested one was measured while compiling, and no recomputation confirms it.
 *
 * @type {readonly { name: keyof Figures, title: string, form: (value: number) => string, isAttested?: boolean }[]}
 */
const SHOWN = [
  { name: 'accuracy', title: 'Accuracy', form: formatScore },
  { name: 'coverage', title: 'Answered', form: formatScore },
  {
    name: 'p50_latency_us',
    title: 'Latency',
    form: (value) => `${formatNumber(value)} µs`,
    isAttested: true,
  },
  {
    name: 'cost_usd_per_call',
    title: 'Cost of a call',
    form: (value) => `${formatNumber(value)} USD`,
    isAttested: true,
  },
  { name: 'size_mb', title: 'Archive', form: (value) => formatBytes(value * 1e6) },
]

/**
 * Shows figures with their basis: measured, attested or not measured.
 *
 * @param {Figures | undefined} figures
 */
export function figureFacts(figures) {
  if (figures === undefined) return []
  const facts = SHOWN.flatMap(({ name, title, form, isAttested = false }) => {
    const figure = figures[name]
    return figure === undefined ? [] : [/** @type {[string, Node]} */ ([title, showFigure(figure, form, isAttested)])]
  })
  return [element('h2', {}, 'Figures'), factList(facts)]
}

/**
 * @param {Figure} figure
 * @param {(value: number) => string} form
 * @param {boolean} isAttested
 */
function showFigure(figure, form, isAttested) {
  if (figure.basis === 'not_measured') {
    return element('span', {}, badge('not measured'), ' ', element('span', { class: 'quiet' }, figure.why))
  }
  const note = `${figure.how}, n = ${formatNumber(figure.n)}`
  return element(
    'span',
    {},
    form(figure.value),
    ' ',
    badge(isAttested ? 'attested' : 'measured'),
    ' ',
    element('span', { class: 'quiet' }, note),
  )
}
