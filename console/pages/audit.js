import { get, withQuery } from '../api.js'
import { errorBox, field } from '../parts/dialog.js'
import { element } from '../parts/dom.js'
import { formatInstant, formatNumber } from '../parts/format.js'
import { pagedList, table } from '../parts/table.js'

/**
 * @typedef {object} Entry
 * @property {string} at
 * @property {string} actor
 * @property {string} op
 * @property {string | null} [target]
 * @property {unknown} payload
 */

/** @type {import('../main.js').Page} */
export const auditPage = {
  title: 'Audit log',
  async load({ argument, signal }) {
    const since = /^\d{4}-\d{2}-\d{2}$/.test(argument) ? argument : undefined
    const query = { since: since && `${since}T00:00:00Z` }
    const trouble = element('div')
    const list = await pagedList({
      read: async (cursor) => {
        /** @type {{ entries: readonly Entry[], next_cursor?: string | null }} */
        const page = await get(withQuery('/v1/account/audit-log', { ...query, limit: 50, cursor }), signal)
        return { items: page.entries, next: page.next_cursor ?? null }
      },
      show: (entries) => entriesTable(entries),
      onError: (error) => trouble.replaceChildren(errorBox(error)),
    })
    const csv = withQuery('/v1/account/audit-log', { ...query, format: 'csv' })
    return [sinceChoice(since), verification(csv), trouble, list]
  },
}

/** @param {string | undefined} chosen */
function sinceChoice(chosen) {
  const input = element('input', { type: 'date', name: 'since', value: chosen })
  input.addEventListener('change', () => {
    location.hash = input.value === '' ? '#/audit' : `#/audit/${input.value}`
  })
  return field('Since (UTC)', input)
}

/** @param {string} csv */
function verification(csv) {
  const answer = element('p', { role: 'status' })
  const verify = async () => {
    answer.textContent = 'Checking the chain …'
    /** @type {{ verified: boolean, chain_length: number, broken_at?: number | null }} */
    const result = await get('/v1/account/audit-log/verify')
    const entries = `${formatNumber(result.chain_length)} entries`
    answer.textContent = result.verified
      ? `The chain is whole: ${entries}, none changed and none missing.`
      : `The chain is broken at entry ${result.broken_at ?? '?'} of ${entries}.`
    answer.className = result.verified ? 'good' : 'bad'
  }
  const onclick = () =>
    void verify().catch((error) => {
      answer.textContent = ''
      answer.append(errorBox(error))
    })
  return element(
    'div',
    {},
    element(
      'div',
      { class: 'buttons' },
      element('button', { type: 'button', class: 'primary', onclick }, 'Verify the chain'),
      element('a', { class: 'button', href: csv, download: 'audit-log.csv' }, 'Download as CSV'),
    ),
    answer,
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
      { title: 'Details', cell: ({ payload }) => details(payload) },
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
