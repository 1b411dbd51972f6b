import { get, withQuery } from '../api.js'
import { barChart } from '../parts/charts/chart.js'
import { element } from '../parts/dom.js'
import { select } from '../parts/form.js'
import { formatBytes, formatInstant, formatMonth, formatNumber, formatPercent } from '../parts/format.js'
import { heading, table } from '../parts/table.js'

/** @typedef {import('zod').output<typeof import('../../core/billing/wire/usage/usage.ts').GetUsageAnswer>} Usage */
/** @typedef {import('zod').output<typeof import('../../core/billing/wire/usage/meters.ts').MeterView>} Meter */

const PERIODS = 12

/** @type {import('./index.js').Page} */
export const usagePage = {
  title: 'Usage',
  scope: 'billing:read',
  async load({ argument, signal }) {
    const period = /^\d{4}-\d{2}$/.test(argument) ? argument : undefined
    /** @type {[Usage, { meters: readonly Meter[] }]} */
    const [usage, { meters }] = await Promise.all([
      get(withQuery('/v1/billing/usage', { period }), signal),
      get('/v1/billing/meters', signal),
    ])
    const [year = 0, month = 1] = usage.period.split('-').map(Number)
    const dayCount = new Date(Date.UTC(year, month, 0)).getUTCDate()
    const used = new Map(usage.days.map(({ day, used: units }) => [Number(day.slice(8)), units]))
    const bars = Array.from({ length: dayCount }, (_, index) => ({
      label: String(index + 1),
      value: used.get(index + 1) ?? 0,
    }))
    const even = Math.floor(usage.quota / dayCount)
    const isRunning = period === undefined || usage.period === new Date().toISOString().slice(0, 7)
    return [
      periodChoice(usage.period),
      quotaBar(usage, isRunning),
      barChart({
        title: `Units a day in ${formatMonth(usage.period)}; days are those of UTC`,
        unit: 'units',
        bars,
        even: { value: even, words: `${formatNumber(even)} units: what a day may use when the quota is to last` },
        signal,
      }),
      heading('By meter'),
      metersTable(usage, meters),
    ]
  },
}

/** @param {string} chosen */
function periodChoice(chosen) {
  const now = new Date()
  const recent = Array.from({ length: PERIODS }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7),
  )
  const periods = recent.includes(chosen) ? recent : [...recent, chosen]
  const months = select(
    { id: 'period', name: 'period' },
    periods.map((period) => [period, formatMonth(period)]),
    chosen,
  )
  months.addEventListener('change', () => {
    location.hash = `#/usage/${months.value}`
  })
  return element('div', { class: 'field row' }, element('label', { for: 'period' }, 'Month'), months)
}

/**
 * @param {Usage} usage
 * @param {boolean} isRunning
 */
function quotaBar({ used, quota, resets_at: resetsAt }, isRunning) {
  const share = quota === 0 ? 1 : used / quota
  const level = share >= 1 ? 'full' : share >= 0.8 ? 'high' : 'fine'
  const words = `${formatNumber(used)} of ${formatNumber(quota)} units`
  const end = isRunning ? `; the count starts anew ${formatInstant(resetsAt)}` : ''
  return element(
    'section',
    { class: 'quota', 'data-level': level, 'aria-label': 'Quota' },
    element(
      'p',
      { class: 'big' },
      formatNumber(used),
      element('span', { class: 'quiet' }, ` of ${formatNumber(quota)} units`),
    ),
    element('progress', { max: Math.max(quota, 1), value: Math.min(used, quota), 'aria-label': words }),
    element('p', { class: 'quiet share' }, `${formatPercent(share)} used${end}`),
  )
}

/**
 * @param {Usage} usage
 * @param {readonly Meter[]} meters
 */
function metersTable({ meters: amounts, limits }, meters) {
  return table({
    caption: 'What was used, by meter',
    rows: meters.filter(({ id }) => (amounts[id] ?? 0) > 0),
    empty: 'Nothing was used in this month.',
    columns: [
      { title: 'Meter', cell: ({ label }) => label, isWide: true },
      { title: 'Amount', cell: (meter) => amountOf(meter, amounts[meter.id]), isNumeric: true },
      { title: 'At most', cell: (meter) => amountOf(meter, limits[meter.id]), isNumeric: true },
    ],
  })
}

/**
 * @param {Meter} meter
 * @param {number | undefined} amount
 */
function amountOf({ unit }, amount) {
  if (amount === undefined) return '–'
  return unit === 'byte' ? formatBytes(amount) : formatNumber(amount)
}
