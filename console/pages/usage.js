import { get, withQuery } from '../api.js'
import { barChart } from '../parts/chart.js'
import { element } from '../parts/dom.js'
import { formatInstant, formatNumber, formatPercent } from '../parts/format.js'
import { table } from '../parts/table.js'

/**
 * @typedef {object} Usage
 * @property {string} period `YYYY-MM`
 * @property {number} quota
 * @property {number} used
 * @property {readonly { day: string, used: number }[]} days
 * @property {Readonly<Record<string, number>>} meters
 */

const PERIODS = 12

/** @type {import('../main.js').Page} */
export const usagePage = {
  title: 'Usage',
  async load({ argument, signal, account }) {
    const period = /^\d{4}-\d{2}$/.test(argument) ? argument : undefined
    /** @type {Usage} */
    const usage = await get(withQuery('/v1/billing/usage', { period }), signal)
    const [year = 0, month = 1] = usage.period.split('-').map(Number)
    const dayCount = new Date(Date.UTC(year, month, 0)).getUTCDate()
    const used = new Map(usage.days.map(({ day, used: units }) => [Number(day.slice(8)), units]))
    const bars = Array.from({ length: dayCount }, (_, index) => ({
      label: String(index + 1),
      value: used.get(index + 1) ?? 0,
    }))
    const even = Math.floor(usage.quota / dayCount)
    return [
      periodChoice(usage.period),
      quotaBar(usage, period === undefined ? account.period.resets_at : undefined),
      barChart({ title: `Units a day in ${usage.period} (UTC)`, unit: 'units', bars, even, signal }),
      element(
        'p',
        { class: 'quiet' },
        `The dashed line is ${formatNumber(even)} units, what a day may use when the quota is to last; it is left out where use is far below.`,
      ),
      element('h2', {}, 'By meter'),
      metersTable(usage),
    ]
  },
}

/** @param {string} chosen */
function periodChoice(chosen) {
  const now = new Date()
  const periods = Array.from({ length: PERIODS }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7),
  )
  const select = element(
    'select',
    { id: 'period', name: 'period' },
    ...periods.map((period) => element('option', { value: period, selected: period === chosen }, period)),
  )
  select.addEventListener('change', () => {
    location.hash = `#/usage/${select.value}`
  })
  return element('div', { class: 'field row' }, element('label', { for: 'period' }, 'Month'), select)
}

/**
 * @param {Usage} usage
 * @param {string | undefined} resetsAt
 */
function quotaBar({ used, quota }, resetsAt) {
  const share = quota === 0 ? 1 : used / quota
  const level = share >= 1 ? 'full' : share >= 0.8 ? 'high' : 'fine'
  const words = `${formatNumber(used)} of ${formatNumber(quota)} units`
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
    element(
      'p',
      { class: 'quiet' },
      `${formatPercent(share)} used${resetsAt === undefined ? '' : `; the count starts anew ${formatInstant(resetsAt)}`}`,
    ),
  )
}

/** @param {Usage} usage */
function metersTable({ meters }) {
  return table({
    caption: 'What was used, by meter',
    rows: Object.entries(meters).filter(([, value]) => value > 0),
    empty: 'Nothing was used in this month.',
    columns: [
      { title: 'Meter', cell: ([name]) => name.replaceAll('_', ' ') },
      { title: 'Amount', cell: ([, value]) => formatNumber(value), isNumeric: true },
    ],
  })
}
