import { html } from 'htm/preact'
import { formatInstant } from '../../parts/format.js'
/** @typedef {import('./keys.js').Key} Key */
/** @typedef {import('../../parts/table/table.js').Column<Key>} KeyColumn */

/** @type {readonly KeyColumn[]} */
export const PRIMARY_COLUMNS = [
  { title: 'Prefix', cell: ({ key_prefix: prefix }) => html`<code>${prefix}</code>`, isWide: true },
  { title: 'Label', cell: ({ label }) => label ?? '–' },
  { title: 'Created', cell: ({ created_at: at }) => formatInstant(at) },
  { title: 'Last used', cell: ({ last_used_at: at }) => formatInstant(at) },
]

/** @type {readonly KeyColumn[]} */
export const SCOPED_COLUMNS = [
  { title: 'Label', cell: ({ label }) => label ?? '–', sort: ({ label }) => label },
  { title: 'Prefix', cell: ({ key_prefix: prefix }) => html`<code>${prefix}</code>` },
  {
    title: 'Permissions',
    cell: ({ scopes, preset }) =>
      preset ?? html`<span class="scopes">${scopes.map((scope) => html`<code key=${scope}>${scope}</code>`)}</span>`,
    isWide: true,
  },
  {
    title: 'Last used',
    cell: ({ last_used_at: at }) => formatInstant(at),
    sort: ({ last_used_at: at }) => at,
  },
  {
    title: 'Expires',
    cell: ({ expires_at: at }) => (at === null ? 'never' : formatInstant(at)),
    sort: ({ expires_at: at }) => at,
  },
]
