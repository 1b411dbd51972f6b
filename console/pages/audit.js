import { get, withQuery } from '../api.js'
import { element } from '../parts/dom.js'
import { createTrouble, errorBox } from '../parts/error.js'
import { field } from '../parts/form.js'
import { formatInstant, formatNumber, startOfDay } from '../parts/format.js'
import { pagedList } from '../parts/paged-list.js'
import { table } from '../parts/table.js'

/** @typedef {import('zod').output<typeof import('../../core/ledger/wire/audit.ts').AuditEntryView>} Entry */
/** @typedef {import('zod').output<typeof import('../../core/ledger/wire/audit.ts').VerifyAuditAnswer>} Verification */

/** @type {import('./index.js').Page} */
export const auditPage = {
  title: 'Audit log',
  scope: 'audit:read',
  async load({ argument, signal }) {
    const since = /^\d{4}-\d{2}-\d{2}$/.test(argument) && !Number.isNaN(Date.parse(argument)) ? argument : undefined
    const query = { since: since && startOfDay(since) }
    const trouble = createTrouble()
    const list = await pagedList({
      read: async (cursor) => {
        /** @type {{ entries: readonly Entry[], next_cursor: string | null }} */
        const page = await get(withQuery('/v1/account/audit-log', { ...query, limit: 50, cursor }), signal)
        return { items: page.entries, next: page.next_cursor }
      },
      show: entriesTable,
      onError: trouble.show,
    })
    const csv = withQuery('/v1/account/audit-log', { ...query, format: 'csv' })
    return [element('div', { class: 'toolbar' }, sinceForm(since), verification(csv, signal)), trouble.outlet, list]
  },
}

/** @param {string | undefined} chosen */
function sinceForm(chosen) {
  const input = element('input', { type: 'date', name: 'since', id: 'since', value: chosen })
  // With a button: a date that is typed is a date after its first digit already.
  const form = element(
    'form',
    { class: 'row' },
    field('Since', input),
    element('button', { type: 'submit', id: 'show-since' }, 'Show'),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    location.hash = input.value === '' ? '#/audit' : `#/audit/${input.value}`
  })
  return form
}

/**
 * @param {string} csv
 * @param {AbortSignal} signal
 */
function verification(csv, signal) {
  const answer = element('div', { role: 'status' })
  const verify = async () => {
    button.disabled = true
    answer.replaceChildren(element('p', {}, 'Checking the chain …'))
    try {
      /** @type {Verification} */
      const found = await get('/v1/account/audit-log/verify', signal)
      answer.replaceChildren(found.verified ? whole(found) : broken(found))
    } catch (error) {
      answer.replaceChildren(errorBox(error))
    } finally {
      button.disabled = false
    }
  }
  const button = element(
    'button',
    { type: 'button', class: 'primary', onclick: () => void verify() },
    'Verify the chain',
  )
  const download = element('a', { class: 'button', href: csv, download: 'audit-log.csv' }, 'Download as CSV')
  return element('div', {}, element('div', { class: 'buttons' }, button, download), answer)
}

/** @param {Verification} found */
function whole({ chain_length: count, checkpoints, pruned_through: pruned }) {
  const parts = [
    `The chain is whole: ${formatNumber(count)} entries, none changed and none missing;`,
    `${formatNumber(checkpoints)} signed checkpoints agree.`,
    ...(pruned === 0 ? [] : [`Entries up to number ${formatNumber(pruned)} were removed because their time was over.`]),
  ]
  return element('p', { class: 'good' }, parts.join(' '))
}

/** @param {Verification} found */
function broken({ chain_length: count, broken_at: at, breaks }) {
  const place = at === undefined ? '' : ` at entry ${formatNumber(at)}`
  return element(
    'div',
    { class: 'bad' },
    element('p', {}, `The chain is broken${place} of ${formatNumber(count)}.`),
    element('ul', {}, ...breaks.map(({ seq, reason }) => element('li', {}, `${seq ?? '–'}: ${reason}`))),
  )
}

/** @param {readonly Entry[]} entries */
function entriesTable(entries) {
  return table({
    caption: 'What was done, newest first',
    rows: entries,
    empty: 'Nothing was done in this time.',
    columns: [
      { title: 'When', cell: ({ at }) => element('time', { datetime: at }, formatInstant(at)) },
      { title: 'What', cell: ({ op }) => element('code', {}, op) },
      { title: 'Who', cell: ({ actor }) => element('code', { class: 'actor' }, actor) },
      { title: 'Details', cell: ({ payload }) => details(payload), isWide: true },
    ],
  })
}

/** @param {unknown} payload */
function details(payload) {
  const facts = Object.entries(payload ?? {}).filter(([, value]) => value !== null)
  if (facts.length === 0) return '–'
  const words = facts.map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return element('span', { class: 'payload' }, words.join(', '))
}
