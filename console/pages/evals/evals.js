import { html } from 'htm/preact'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { formatInstant, formatNumber, formatState } from '../../parts/format.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { Table } from '../../parts/table/table.js'
import { figureText } from './figures.js'
/** @typedef {import('zod').output<typeof import('../../../core/learn/wire/evals/evals.ts').EvalView>} Evaluation */

/** Evaluations, newest first. */
export function EvalsPage() {
  const { signal } = usePage()
  const evaluations = usePaged(async (cursor) => {
    /** @type {{ evaluations: readonly Evaluation[], next_cursor: string | null }} */
    const page = await get(withQuery('/v1/evals', { limit: 50, cursor }), signal)
    return { items: page.evaluations, next: page.next_cursor }
  }, [])
  return html`<${Table}
    caption="Evaluations, newest first"
    paged=${evaluations}
    empty=${html`No evaluations yet. <code>svc eval run task.yaml --data test=rows.jsonl --base nano</code> starts one;
      <a href="/docs/learn/evaluations">the guide</a> says more.`}
    keyOf=${(/** @type {Evaluation} */ { evaluation_id: id }) => id}
    filter=${(/** @type {Evaluation} */ { name, target, tasks }) => `${name} ${target} ${tasks.join(' ')}`}
    columns=${COLUMNS}
  />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Evaluation>[]} */
const COLUMNS = [
  {
    title: 'Evaluation',
    cell: ({ evaluation_id: id, name, target, source }) =>
      html`<span class="named"
        ><a href=${`#/evaluation/${id}`}>${name}</a
        ><span class="quiet">${source === 'asserted' ? `${target} (asserted)` : target}</span></span
      >`,
    sort: ({ name }) => name,
    isWide: true,
  },
  { title: 'State', cell: ({ state }) => html`<${Badge} status=${formatState(state)} />` },
  {
    title: 'Rows',
    cell: ({ rows, scored }) =>
      rows === scored ? formatNumber(rows) : `${formatNumber(scored)} of ${formatNumber(rows)}`,
    sort: ({ rows }) => rows,
    isNumeric: true,
  },
  {
    title: 'First figure',
    cell: ({ figures }) => (figures?.[0] ? html`${figures[0].metric} ${figureText(figures[0])}` : '–'),
    sort: ({ figures }) => figures?.[0]?.value,
    isNumeric: true,
  },
  { title: 'Started', cell: ({ created_at: at }) => html`<time datetime=${at}>${formatInstant(at)}</time>` },
]
