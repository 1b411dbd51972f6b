import { html } from 'htm/preact'
import { Badge } from '../badge.js'
import { Facts } from '../facts.js'
import { formatBytes, formatNumber, formatScore } from '../format.js'

/** @typedef {import('zod').output<typeof import('../../../core/kernel/wire/figure.ts').Figure>} Figure */
/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/jobs/figures.ts').Figures>} AllFigures */

/**
 * Titles and forms of the figures. An attested one was measured while compiling, and no recomputation confirms it.
 *
 * @type {readonly { name: keyof AllFigures, title: string, form: (value: number) => string, isAttested?: boolean }[]}
 */
const SHOWN = [
  { name: 'accuracy', title: 'Accuracy', form: formatScore },
  { name: 'coverage', title: 'Answered', form: formatScore },
  { name: 'p50_latency_us', title: 'Latency', form: (value) => `${formatNumber(value)} µs`, isAttested: true },
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
 * @param {{ figures: AllFigures | undefined }} props
 */
export function Figures({ figures }) {
  if (figures === undefined) return null
  const facts = SHOWN.flatMap(({ name, title, form, isAttested = false }) => {
    const figure = figures[name]
    return figure === undefined ? [] : [[title, html`<${FigureValue} ...${{ figure, form, isAttested }} />`]]
  })
  return html`<h2>Figures</h2>
    <${Facts} facts=${facts} />`
}

/** @param {{ figure: Figure, form: (value: number) => string, isAttested: boolean }} props */
function FigureValue({ figure, form, isAttested }) {
  if (figure.basis === 'not_measured') {
    return html`<span class="basis"><${Badge} status="not measured" /></span
      ><span class="quiet why">${figure.why}</span>`
  }
  return html`<span class="basis"
      >${form(figure.value)} <${Badge} status=${isAttested ? 'attested' : 'measured'}
    /></span>
    <span class="quiet why">${figure.how}, n = ${formatNumber(figure.n)}</span>`
}
