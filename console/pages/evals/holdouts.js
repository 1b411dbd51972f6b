import { html } from 'htm/preact'
import { get } from '../../api.js'
import { Badge } from '../../parts/badge.js'
import { formatInstant, formatNumber, formatScore } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { Table } from '../../parts/table/table.js'
/** @typedef {import('zod').output<typeof import('../../../core/learn/wire/holdouts.ts').HoldoutView>} Holdout */

/** Sealed and revealed holdouts with what is left of them; no page shows a row. */
export function HoldoutsPage() {
  const read = useRead(async (signal) => {
    /** @type {{ corpora: readonly Holdout[] }} */
    const { corpora } = await get('/v1/eval/tenant_holdout', signal)
    return corpora
  }, [])
  return html`<${Reading} of=${read} children=${show} />`
}

/** @param {readonly Holdout[]} corpora */
function show(corpora) {
  return html`<${Table}
    caption="Holdouts, newest first"
    rows=${corpora}
    empty=${html`No holdouts yet. <code>svc holdout add tickets-2026 rows.jsonl</code> seals one;
      <a href="/docs/learn/gates">the guide</a> says more.`}
    keyOf=${(/** @type {Holdout} */ { holdout_id: id }) => id}
    filter=${(/** @type {Holdout} */ { corpus_id: name, namespace, tags }) => `${name} ${namespace ?? ''} ${tags.join(' ')}`}
    columns=${COLUMNS}
  />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Holdout>[]} */
const COLUMNS = [
  {
    title: 'Holdout',
    cell: ({ corpus_id: name, namespace }) =>
      html`<span class="named">${name}<span class="quiet">${namespace ?? 'all namespaces'}</span></span>`,
    sort: ({ corpus_id: name }) => name,
    isWide: true,
  },
  { title: 'State', cell: ({ state, exhausted }) => html`<${Badge} status=${exhausted ? 'exhausted' : state} />` },
  {
    title: 'Rows',
    cell: ({ row_count: rows }) => formatNumber(rows),
    sort: ({ row_count: rows }) => rows,
    isNumeric: true,
  },
  {
    title: 'Attempts',
    cell: ({ attempts, promotions }) => `${formatNumber(attempts)}, ${formatNumber(promotions)} promoted`,
    sort: ({ attempts }) => attempts,
    isNumeric: true,
  },
  {
    title: 'Level of the next',
    cell: ({ next_level: level, state }) => (state === 'sealed' ? formatScore(level) : '–'),
    isNumeric: true,
  },
  {
    title: 'Rows to gain',
    cell: ({ smallest_gain: gain, state }) => (gain === null || state !== 'sealed' ? '–' : formatNumber(gain)),
    isNumeric: true,
  },
  { title: 'Stored', cell: ({ stored_at: at }) => html`<time datetime=${at}>${formatInstant(at)}</time>` },
]
