import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { call } from '../../api.js'
import { Facts } from '../../parts/facts.js'
import { Field } from '../../parts/form/field.js'
import { Form } from '../../parts/form/form.js'
import { rawTextIn } from '../../parts/form/text-in.js'
import { formatNumber } from '../../parts/format.js'
import { Table } from '../../parts/table/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/documents/recall.ts').RecallAnswer>} Recalled */
/** @typedef {Recalled['chunks'][number]} Chunk */

const SHOWN = 12

/**
 * A search in the documents of a namespace; its result shows the rank of each part by words, by vectors and of both.
 *
 * @param {{ namespace: string }} props
 */
export function RecallForm({ namespace }) {
  const [found, setFound] = useState(/** @type {Recalled | undefined} */ (undefined))
  const recall = async (/** @type {FormData} */ data) => {
    setFound(await call('POST', '/v1/recall', { namespace, query: rawTextIn(data, 'query'), k: SHOWN }))
  }
  return html`<${Form} title="Search" action="Find parts" perform=${recall}>
      <${Field} label="Question" name="query" required maxlength="8000" autocomplete="off" />
    <//>
    <div role="status">${found !== undefined && html`<${Ranking} found=${found} />`}</div>`
}

/** @param {{ found: Recalled }} props */
function Ranking({ found: { chunks, retrieval, indexed } }) {
  const { vectors, terms, note } = retrieval
  return html`<section aria-labelledby="ranking">
    <h2 id="ranking">How the parts were ranked</h2>
    <${Facts}
      facts=${[
        ['Words', terms.length === 0 ? 'none that count' : `${terms.join(', ')} (BM25)`],
        ['Vectors', vectors === null ? 'not compared' : vectorsText(vectors)],
        ['Order', vectors === null ? 'by words' : 'by the sum of 1 / (60 + rank) over both'],
        ['Searched', `${formatNumber(indexed.chunks)} parts`],
        note !== null && ['Note', note],
      ]}
    />
    <${Table}
      caption="Parts, best first"
      rows=${chunks.map((chunk, at) => ({ ...chunk, place: at + 1 }))}
      empty="No part of the documents answers this."
      keyOf=${(/** @type {Chunk} */ { document_id: id, seq }) => `${id}/${seq}`}
      columns=${vectors === null ? COLUMNS.filter(({ title }) => title !== 'Vectors') : COLUMNS}
    />
  </section>`
}

/** @type {readonly import('../../parts/table/table.js').Column<Chunk & { place: number }>[]} */
const COLUMNS = [
  { title: 'Rank', cell: ({ place }) => formatNumber(place), isNumeric: true },
  {
    title: 'Part',
    cell: ({ path, seq, snippet }) =>
      html`<details>
        <summary>${path} <span class="quiet">part ${formatNumber(seq + 1)}</span></summary>
        <p class="value">${snippet}</p>
      </details>`,
    isWide: true,
  },
  { title: 'Words', cell: ({ lexical }) => rankText(lexical?.rank, lexical?.score) },
  { title: 'Vectors', cell: ({ vector }) => rankText(vector?.rank, vector?.similarity) },
  { title: 'Score', cell: ({ score }) => score.toFixed(4), isNumeric: true },
]

/**
 * @param {number | undefined} rank
 * @param {number | undefined} score
 */
function rankText(rank, score) {
  if (rank === undefined || score === undefined) return html`<span class="quiet">not found</span>`
  return html`<span>${formatNumber(rank)}. <span class="quiet">${score.toFixed(3)}</span></span>`
}

/** @param {NonNullable<Recalled['retrieval']['vectors']>} vectors */
function vectorsText({ model, search, chunks }) {
  const how = search === 'brute_force' ? 'each compared' : 'by a graph of neighbours'
  return `${model.split('@')[0] ?? model}, ${formatNumber(chunks)} parts, ${how}`
}
