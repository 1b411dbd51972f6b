import { html } from 'htm/preact'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { formatInstant, formatNumber } from '../../parts/format.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { Table } from '../../parts/table/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/learn/wire/datasets/answers.ts').ListDatasetsAnswer>} Page */
/** @typedef {Page['datasets'][number]} Dataset */

/** The datasets, newest first. */
export function DatasetsPage() {
  const { signal } = usePage()
  const datasets = usePaged(async (cursor) => {
    /** @type {Page} */
    const page = await get(withQuery('/v1/datasets', { limit: 50, cursor }), signal)
    return { items: page.datasets, next: page.next_cursor }
  }, [])
  return html`<${Table}
    caption="Datasets, newest first"
    paged=${datasets}
    empty=${html`No datasets yet. <code>svc data import FILE -n NAMESPACE</code> makes one of a file, and${' '}
      <code>--captures</code> of captured calls.`}
    filter=${(/** @type {Dataset} */ { name, namespace }) => `${name} ${namespace}`}
    columns=${COLUMNS}
  />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Dataset>[]} */
const COLUMNS = [
  { title: 'Name', cell: ({ dataset_id: id, name }) => html`<a href="#/dataset/${id}">${name}</a>`, isWide: true },
  { title: 'Namespace', cell: ({ namespace }) => namespace },
  { title: 'Version', cell: ({ version }) => formatNumber(version), isNumeric: true },
  { title: 'To learn from', cell: ({ train_count: count }) => formatNumber(count), isNumeric: true },
  { title: 'Held out', cell: ({ holdout_count: count }) => formatNumber(count), isNumeric: true },
  { title: 'State', cell: ({ state }) => state },
  { title: 'Made', cell: ({ created_at: at }) => html`<time datetime=${at}>${formatInstant(at)}</time>` },
]
