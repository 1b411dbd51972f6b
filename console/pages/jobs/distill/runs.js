import { html } from 'htm/preact'
import { get, withQuery } from '../../../api.js'
import { usePage } from '../../../app/use-page.js'
import { Badge } from '../../../parts/badge.js'
import { formatInstant, formatNumber, formatState } from '../../../parts/format.js'
import { usePaged } from '../../../parts/read/use-paged.js'
import { Table } from '../../../parts/table/table.js'
/** @typedef {import('zod').output<typeof import('../../../../core/learn/wire/distill/runs.ts').RunView>} Run */

/** Runs of distillation, newest first. */
export function RunsPage() {
  const { signal } = usePage()
  const runs = usePaged(async (cursor) => {
    /** @type {{ runs: readonly Run[], next_cursor: string | null }} */
    const page = await get(withQuery('/v1/distill/runs', { limit: 50, cursor }), signal)
    return { items: page.runs, next: page.next_cursor }
  }, [])
  return html`<${Table}
    caption="Distillations, newest first"
    paged=${runs}
    empty=${html`No runs yet. <code>svc distill start --namespace NAME</code> starts one;
      <a href="/docs/learn/distillation">the guide</a> says more.`}
    keyOf=${(/** @type {Run} */ { run_id: id }) => id}
    filter=${(/** @type {Run} */ { run_id: id, kind, namespace }) => `${id} ${kind} ${namespace}`}
    columns=${COLUMNS}
  />`
}

/** A measured figure, or a dash.
 *
 * @param {number | null} value
 */
export function figure(value) {
  if (value === null) return '–'
  return value !== 0 && Math.abs(value) < 0.001 ? value.toPrecision(2) : formatNumber(Number(value.toPrecision(4)))
}

/** @type {readonly import('../../../parts/table/table.js').Column<Run>[]} */
const COLUMNS = [
  {
    title: 'Run',
    cell: ({ run_id: id, kind, namespace }) =>
      html`<span class="named"
        ><a href=${`#/distillation/${id}`}>${namespace}</a><span class="quiet">${kind.replace('_', ' ')}</span></span
      >`,
    sort: ({ namespace }) => namespace,
    isWide: true,
  },
  { title: 'State', cell: ({ state }) => html`<${Badge} status=${formatState(state)} />` },
  { title: 'Rows', cell: ({ pair_count: rows }) => formatNumber(rows), sort: (run) => run.pair_count, isNumeric: true },
  { title: 'Loss', cell: ({ loss_final: loss }) => figure(loss), isNumeric: true },
  { title: 'K', cell: ({ k_final: score }) => figure(score), sort: (run) => run.k_final ?? undefined, isNumeric: true },
  {
    title: 'USD',
    cell: ({ spend_usd: usd }) => (usd === null ? '–' : usd.toFixed(4)),
    sort: (run) => run.spend_usd ?? undefined,
    isNumeric: true,
  },
  { title: 'Started', cell: ({ created_at: at }) => html`<time datetime=${at}>${formatInstant(at)}</time>` },
]
