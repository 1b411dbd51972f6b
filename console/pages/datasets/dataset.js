import { html } from 'htm/preact'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Facts, Heading } from '../../parts/facts.js'
import { formatBytes, formatInstant, formatNumber, formatState } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { useRead } from '../../parts/read/use-read.js'
import { Table } from '../../parts/table/table.js'
import { Quality } from './quality.js'

/** @typedef {import('zod').output<typeof import('../../../core/learn/wire/datasets/answers.ts').DatasetAnswer>} Dataset */
/** @typedef {import('zod').output<typeof import('../../../core/learn/wire/datasets/answers.ts').RowsAnswer>} RowsPage */
/** @typedef {RowsPage['rows'][number]} Row */

/** Characters of a row that are shown. */
const SHOWN = 300

/** A dataset: a version with its quality, its rows, and the other versions. The address may name a version. */
export function DatasetPage() {
  const { argument, signal } = usePage()
  const [id = '', version] = argument.split('/')
  const read = useRead(
    async (inner) => await get(withQuery(`/v1/datasets/${encodeURIComponent(id)}`, { version }), inner),
    [argument],
  )
  const rows = usePaged(
    async (cursor) => {
      /** @type {RowsPage} */
      const page = await get(
        withQuery(`/v1/datasets/${encodeURIComponent(id)}/rows`, { version, limit: 50, cursor }),
        signal,
      )
      return { items: page.rows, next: page.next_cursor }
    },
    [argument],
  )
  return html`<${Reading} of=${read}>
    ${(/** @type {Dataset} */ dataset) =>
      html`<${Version} dataset=${dataset} />
        ${dataset.quality && html`<${Heading} text="Quality" /><${Quality} quality=${dataset.quality} />`}
        ${
          dataset.state === 'ready' &&
          html`<${Heading} text="Rows" />
            <${Table}
              caption="Rows of version ${dataset.version}"
              paged=${rows}
              empty="This version has no rows."
              keyOf=${(/** @type {Row} */ { row_hash: hash }) => hash}
              columns=${ROW_COLUMNS}
            />`
        }
        <${Heading} text="Versions" />
        <${Table}
          caption="Versions, newest first"
          rows=${dataset.versions}
          empty="No versions."
          columns=${versionColumns(id)}
        />`}
  <//>`
}

/** @param {{ dataset: Dataset }} props */
function Version({ dataset }) {
  const { dataset_id: id, version, state } = dataset
  const path = (/** @type {string} */ format) =>
    withQuery(`/v1/datasets/${encodeURIComponent(id)}/export`, { version: String(version), format })
  return html`<${Heading} text=${dataset.name}>
      ${
        state === 'ready' &&
        html`<div class="buttons">
          <a class="button" href=${path('jsonl')} download="${id}.jsonl">Download as JSONL</a>
          <a class="button" href=${path('parquet')} download="${id}.parquet">as Parquet</a>
          <a class="button" href=${path('folder')} download="${id}.zip">as a folder</a>
        </div>`
      }
    <//>
    <${Facts}
      facts=${[
        ['Dataset', html`<code>${id}</code>`],
        ['Namespace', dataset.namespace],
        ['Version', `${version}, ${state}`],
        dataset.error !== null && ['Error', dataset.error],
        ['Rows', `${formatNumber(dataset.row_count)} of type ${dataset.row_type ?? '–'}`],
        ['To learn from', formatNumber(dataset.train_count)],
        ['Held out', formatNumber(dataset.holdout_count)],
        dataset.forgotten_count > 0 && ['Forgotten', formatNumber(dataset.forgotten_count)],
        dataset.stratified_by !== null && [
          'Shares kept',
          dataset.stratified_by === 'label' ? 'of each label' : 'of all',
        ],
        dataset.size_bytes !== null && ['Size', formatBytes(dataset.size_bytes)],
        dataset.merkle_root !== null && ['Merkle root', html`<code>${dataset.merkle_root}</code>`],
        dataset.seed !== null && ['Seed', html`<code>${dataset.seed}</code>`],
      ]}
    />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Row>[]} */
const ROW_COLUMNS = [
  { title: 'Place', cell: ({ place }) => formatNumber(place), isNumeric: true },
  { title: 'Side', cell: ({ side }) => (side === 'holdout' ? 'held out' : 'train') },
  {
    title: 'Row',
    cell: ({ row }) =>
      row === null
        ? html`<span class="quiet">forgotten</span>`
        : html`<code>${JSON.stringify(row).slice(0, SHOWN)}</code>`,
    isWide: true,
  },
  { title: 'From', cell: ({ source }) => source ?? '–' },
]

/**
 * @param {string} id
 * @returns {readonly import('../../parts/table/table.js').Column<Dataset['versions'][number]>[]}
 */
function versionColumns(id) {
  return [
    {
      title: 'Version',
      cell: ({ version }) => html`<a href="#/dataset/${id}/${version}">${formatNumber(version)}</a>`,
      isNumeric: true,
    },
    { title: 'Made by', cell: ({ kind }) => kind },
    { title: 'State', cell: ({ state, error }) => formatState(state, error), isWide: true },
    { title: 'To learn from', cell: ({ train_count: count }) => formatNumber(count), isNumeric: true },
    { title: 'Held out', cell: ({ holdout_count: count }) => formatNumber(count), isNumeric: true },
    { title: 'Made', cell: ({ created_at: at }) => html`<time datetime=${at}>${formatInstant(at)}</time>` },
  ]
}
