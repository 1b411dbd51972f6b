import { html } from 'htm/preact'
import { useMemo, useState } from 'preact/hooks'
import { call } from '../../../api.js'
import { Segments } from '../../../parts/buttons/segments.js'
import { Facts } from '../../../parts/facts.js'
import { formatNumber, formatWord } from '../../../parts/format.js'
import { Reading } from '../../../parts/read/reading.js'
import { useRead } from '../../../parts/read/use-read.js'
import { textOf } from '../../../parts/table/difference.js'
import { Table } from '../../../parts/table/table.js'
import { GraphDrawing } from './drawing.js'
import { layOut } from './layout.js'
import { overviewOf, restingOn } from './overview.js'
/** @typedef {import('./overview.js').GraphAnswer} GraphAnswer */
/** @typedef {import('./overview.js').Graph} Graph */
/** @typedef {import('./overview.js').Node} Node */

/** Facts of a node that are shown. */
const MOST_FACTS = 8

/**
 * Shows the dependencies of an artifact and the artifacts that depend on it, drawn, with the same as a table.
 *
 * @param {{ id: string }} props
 */
export function Dependencies({ id }) {
  const read = useRead(
    async (signal) => await call('POST', '/v1/artifacts/dependency-graph', { artifact_id: id }, { signal }),
    [id],
  )
  return html`<h3 id="dependencies">What it rests on, and what rests on it</h3>
    <${Reading} of=${read}>${(/** @type {GraphAnswer} */ graph) => html`<${GraphView} id=${id} answer=${graph} />`}<//>`
}

/** @param {{ id: string, answer: GraphAnswer }} props */
function GraphView({ id, answer }) {
  const [detail, setDetail] = useState('overview')
  const [chosen, setChosen] = useState(/** @type {string | undefined} */ (undefined))
  const graph = useMemo(() => (detail === 'overview' ? overviewOf(answer) : answer), [answer, detail])
  const drawing = useMemo(() => layOut(graph), [graph])
  const node = graph.nodes.find((one) => one.id === chosen)
  const resting = useMemo(() => (node === undefined ? new Set() : restingOn(graph, node.id)), [graph, node])
  return html`<div class="toolbar">
      <${Segments}
        label="Detail of the drawing"
        options=${[
          ['overview', 'Artifacts and data'],
          ['all', 'All evidence'],
        ]}
        chosen=${detail}
        choose=${setDetail}
      />
    </div>
    ${answer.truncated && html`<p class="quiet">Only the first ${formatNumber(answer.counts.artifacts)} artifacts are drawn.</p>`}
    <${GraphDrawing}
      drawing=${drawing}
      label="Dependencies of this artifact, each above what it rests on"
      own=${id}
      chosen=${node?.id}
      resting=${resting}
      choose=${(/** @type {string} */ next) => setChosen(next === chosen ? undefined : next)}
    />
    <div role="status">
      ${
        node === undefined
          ? html`<p class="quiet">Choose a part to see what rests on it.</p>`
          : html`<${Chosen} node=${node} own=${id} resting=${graph.nodes.filter((one) => resting.has(one.id))} />`
      }
    </div>
    <details>
      <summary>The same as a table</summary>
      <${Table}
        caption="Dependencies of this artifact"
        rows=${rowsOf(graph)}
        empty="Nothing was recorded."
        keyOf=${(/** @type {Row} */ { node: { id: key } }) => key}
        filter=${(/** @type {Row} */ { node: { type, label } }) => `${type} ${label}`}
        columns=${COLUMNS}
      />
    </details>`
}

/** @param {{ node: Node, own: string, resting: readonly Node[] }} props */
function Chosen({ node: { id, type, label, facts }, own, resting }) {
  const artifacts = resting.filter((one) => one.type === 'artifact')
  const shown = Object.entries(facts)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, MOST_FACTS)
  const count = `${formatNumber(artifacts.length)} ${artifacts.length === 1 ? 'artifact rests' : 'artifacts rest'} on it.`
  return html`<p>
      <strong>${label}</strong>${`: ${artifacts.length === 0 ? 'no artifact rests on it.' : count}`}
      ${type === 'artifact' && id !== own && html` <a href="#/artifact/${id}">Open it</a>`}
    </p>
    <${Facts}
      facts=${[
        ['Id', html`<code class="long">${id}</code>`],
        ...shown.map(([name, value]) => [formatWord(name), html`<code class="long">${textOf(value)}</code>`]),
      ]}
    />`
}

/** @typedef {{ node: Node, restsOn: readonly string[] }} Row */

/**
 * @param {Graph} graph
 * @returns {readonly Row[]}
 */
function rowsOf({ nodes, edges }) {
  const labels = new Map(nodes.map(({ id, label }) => [id, label]))
  const outgoing = Map.groupBy(edges, ({ from }) => from)
  return nodes.map((node) => ({
    node,
    restsOn: (outgoing.get(node.id) ?? []).map(({ to }) => labels.get(to) ?? to),
  }))
}

/** @type {readonly import('../../../parts/table/table.js').Column<Row>[]} */
const COLUMNS = [
  { title: 'Type', cell: ({ node: { type } }) => type, sort: ({ node: { type } }) => type },
  {
    title: 'What',
    cell: ({ node: { id, type, label } }) =>
      type === 'artifact' ? html`<a href="#/artifact/${id}">${label}</a>` : label,
    isWide: true,
  },
  { title: 'Rests on', cell: ({ restsOn }) => restsOn.join('; '), isWide: true },
]
