import { formatShare } from '../../../../core/compile/wire/facts/numbers.ts'
import type { SharedView } from '../../../../core/compile/wire/share/open.ts'
import { markup, type Markup } from '../../../../core/kernel/wire/markup.ts'
import { badge, factsList } from './values.ts'

type Figures = NonNullable<SharedView['figures']>

const NUMBER = new Intl.NumberFormat('en-GB')

/** Titles and forms of the figures. An attested one was measured while compiling, and no recomputation confirms it. */
const SHOWN = [
  { name: 'accuracy', title: 'Accuracy', form: formatShare, isAttested: false },
  { name: 'coverage', title: 'Rows answered', form: formatShare, isAttested: false },
  {
    name: 'p50_latency_us',
    title: 'Latency',
    form: (value: number) => `${NUMBER.format(value)} µs`,
    isAttested: true,
  },
  {
    name: 'cost_usd_per_call',
    title: 'Cost of a call',
    form: (value: number) => `${NUMBER.format(value)} USD`,
    isAttested: true,
  },
] as const

/** Figures with their basis: measured, attested or not measured. */
export function figuresTable(figures: Figures): Markup {
  const facts = SHOWN.map(({ name, title, form, isAttested }) => {
    const figure = figures[name]
    if (figure.basis === 'not_measured') {
      const basis = badge('not measured', 'not measured')
      return [title, markup`<span class="basis">${basis}</span><span class="quiet why">${figure.why}</span>`] as const
    }
    const basis = isAttested ? 'attested' : 'measured'
    const value = markup`<span class="basis">${form(figure.value)} ${badge(basis, basis)}</span>`
    return [
      title,
      markup`${value}<span class="quiet why">${figure.how}, n = ${NUMBER.format(figure.n)}</span>`,
    ] as const
  })
  return markup`<h2>Figures</h2>
${factsList(facts)}`
}
