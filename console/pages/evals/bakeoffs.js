import { html } from 'htm/preact'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { formatInstant, formatNumber, formatState } from '../../parts/format.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { Table } from '../../parts/table/table.js'
/** @typedef {import('zod').output<typeof import('../../../core/learn/wire/evals/bakeoffs.ts').BakeoffView>} Bakeoff */

/** Bake-offs, newest first. */
export function BakeoffsPage() {
  const { signal } = usePage()
  const bakeoffs = usePaged(async (cursor) => {
    /** @type {{ bakeoffs: readonly Bakeoff[], next_cursor: string | null }} */
    const page = await get(withQuery('/v1/bakeoffs', { limit: 50, cursor }), signal)
    return { items: page.bakeoffs, next: page.next_cursor }
  }, [])
  return html`<${Table}
    caption="Bake-offs, newest first"
    paged=${bakeoffs}
    empty=${html`No bake-offs yet. <code>svc bakeoff run ds_…</code> starts one;
      <a href="/docs/learn/bakeoffs">the guide</a> says more.`}
    keyOf=${(/** @type {Bakeoff} */ { bakeoff_id: id }) => id}
    filter=${(/** @type {Bakeoff} */ { dataset_id: id, contestants }) =>
      `${id} ${contestants.map(({ name }) => name).join(' ')}`}
    columns=${COLUMNS}
  />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Bakeoff>[]} */
const COLUMNS = [
  {
    title: 'Bake-off',
    cell: ({ bakeoff_id: id, contestants, dataset_id: dataset, dataset_version: version }) =>
      html`<span class="named"
        ><a href=${`#/bakeoff/${id}`}>${contestants.map(({ name }) => name).join(', ')}</a
        ><span class="quiet">${dataset}, version ${version}</span></span
      >`,
    isWide: true,
  },
  { title: 'State', cell: ({ state }) => html`<${Badge} status=${formatState(state)} />` },
  {
    title: 'Held-out rows',
    cell: ({ rows_used: rows }) => formatNumber(rows),
    sort: ({ rows_used: rows }) => rows,
    isNumeric: true,
  },
  { title: 'Recommended', cell: ({ recommended }) => recommended ?? '–' },
  { title: 'Started', cell: ({ created_at: at }) => html`<time datetime=${at}>${formatInstant(at)}</time>` },
]
