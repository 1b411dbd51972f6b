import { html } from 'htm/preact'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Chart } from '../../parts/chart/chart.js'
import { Heading } from '../../parts/facts.js'
import {
  formatBytes,
  formatInstant,
  formatMonth,
  formatNumber,
  formatPercent,
  formatShortly,
} from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { Table } from '../../parts/table/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/billing/wire/usage/usage.ts').GetUsageAnswer>} Usage */
/** @typedef {import('zod').output<typeof import('../../../core/billing/wire/usage/meters.ts').MeterView>} Meter */

const PERIODS = 12

/** The usage of a month: quota, by day and by meter. */
export function UsagePage() {
  const { argument } = usePage()
  const period = /^\d{4}-\d{2}$/.test(argument) ? argument : undefined
  const read = useRead(
    async (signal) => {
      /** @type {[Usage, { meters: readonly Meter[] }]} */
      const [usage, { meters }] = await Promise.all([
        get(withQuery('/v1/billing/usage', { period }), signal),
        get('/v1/billing/meters', signal),
      ])
      return { usage, meters, period }
    },
    [period],
  )
  return html`<${Reading} of=${read}>
    ${(/** @type {{ usage: Usage, meters: readonly Meter[], period: string | undefined }} */ now) => {
      const isRunning = now.period === undefined || now.usage.period === new Date().toISOString().slice(0, 7)
      return html`<${PeriodChoice} chosen=${now.usage.period} />
        <${QuotaBar} usage=${now.usage} isRunning=${isRunning} />
        <${DaysChart} usage=${now.usage} />
        <${Heading} text="By meter" />
        <${MetersTable} ...${now} />`
    }}
  <//>`
}

/** @param {{ chosen: string }} props */
function PeriodChoice({ chosen }) {
  const now = new Date()
  const recent = Array.from({ length: PERIODS }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7),
  )
  const periods = recent.includes(chosen) ? recent : [...recent, chosen]
  const choose = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => {
    location.hash = `#/usage/${currentTarget.value}`
  }
  return html`<div class="field row">
    <label for="period">Month</label>
    <select id="period" name="period" onChange=${choose}>
      ${periods.map(
        (period) =>
          html`<option key=${period} value=${period} selected=${period === chosen}>${formatMonth(period)}</option>`,
      )}
    </select>
  </div>`
}

/** @param {{ usage: Usage, isRunning: boolean }} props */
function QuotaBar({ usage: { used, quota, resets_at: resetsAt }, isRunning }) {
  const share = quota === 0 ? 1 : used / quota
  const level = share >= 1 ? 'full' : share >= 0.8 ? 'high' : 'fine'
  const words = `${formatNumber(used)} of ${formatNumber(quota)} units`
  const end = isRunning ? `. Your quota resets on ${formatInstant(resetsAt)}` : ''
  return html`<section class="quota" data-level=${level} aria-label="Quota">
    <p class="big">${formatNumber(used)}<span class="quiet"> of ${formatNumber(quota)} units</span></p>
    <progress max=${Math.max(quota, 1)} value=${Math.min(used, quota)} aria-label=${words}></progress>
    <p class="quiet share">${formatPercent(share)} used${end}</p>
  </section>`
}

/** @param {{ usage: Usage }} props */
function DaysChart({ usage }) {
  const [year = 0, month = 1] = usage.period.split('-').map(Number)
  const dayCount = new Date(Date.UTC(year, month, 0)).getUTCDate()
  const used = new Map(usage.days.map(({ day, used: units }) => [Number(day.slice(8)), units]))
  const days = Array.from({ length: dayCount }, (_, index) => index + 1)
  const values = days.map((day) => used.get(day) ?? 0)
  const most = Math.max(1, ...values)
  const even = Math.floor(usage.quota / dayCount)
  // The line of an even use would flatten bars that stay far below it.
  const hasLine = even > 0 && even <= most * 3
  const title = `Units a day in ${formatMonth(usage.period)}; days are in UTC`
  const total = values.reduce((sum, value) => sum + value, 0)
  return html`<${Chart}
    title=${title}
    label="${title}: ${formatNumber(total)} units in all, at most ${formatNumber(Math.max(...values))} on one day"
    x=${days}
    series=${[{ label: 'units', values, form: 'bars', colour: '--accent' }]}
    level=${hasLine ? even : undefined}
    range=${{ x: [0.4, dayCount + 0.6], y: [0, Math.max(most, hasLine ? even : 0) * 1.08] }}
    formatX=${(/** @type {number} */ day) => (Number.isInteger(day) && day >= 1 ? String(day) : '')}
    formatY=${formatShortly}
    table=${{
      columns: ['Day', 'units'],
      rows: days.flatMap((day, i) => (values[i] ? [[String(day), formatNumber(values[i])]] : [])),
    }}
  >
    ${
      hasLine &&
      html`<p class="legend">
        <span class="dashes" aria-hidden="true"></span>${formatNumber(even)} units: use of a day with which the quota
        lasts the month
      </p>`
    }
  <//>`
}

/** @param {{ usage: Usage, meters: readonly Meter[] }} props */
function MetersTable({ usage: { meters: amounts, limits }, meters }) {
  return html`<${Table}
    caption="What was used, by meter"
    rows=${meters.filter(({ id }) => (amounts[id] ?? 0) > 0)}
    empty="Nothing was used in this month."
    columns=${[
      { title: 'Meter', cell: (/** @type {Meter} */ { label }) => label, isWide: true },
      {
        title: 'Amount',
        cell: (/** @type {Meter} */ meter) => amountOf(meter, amounts[meter.id]),
        isNumeric: true,
      },
      {
        title: 'At most',
        cell: (/** @type {Meter} */ meter) => amountOf(meter, limits[meter.id]),
        isNumeric: true,
      },
    ]}
  />`
}

/**
 * @param {Meter} meter
 * @param {number | undefined} amount
 */
function amountOf({ unit }, amount) {
  if (amount === undefined) return '–'
  return unit === 'byte' ? formatBytes(amount) : formatNumber(amount)
}
