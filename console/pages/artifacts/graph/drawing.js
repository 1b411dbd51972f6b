import { html } from 'htm/preact'
import { BOX } from './layout.js'
/** @typedef {import('./layout.js').Drawing} Drawing */
/** @typedef {import('./layout.js').PlacedNode} PlacedNode */

/** Characters of a label that fit into a box. */
const LABEL_CHARS = 23

/**
 * A graph, drawn. Each node is a button that chooses it; what rests on the chosen one stands out.
 *
 * @param {{ drawing: Drawing, label: string, own: string, chosen: string | undefined, resting: ReadonlySet<string>,
 *   choose: (id: string) => void }} props
 */
export function GraphDrawing({ drawing: { nodes, edges, width, height }, label, own, chosen, resting, choose }) {
  const isOf = (/** @type {string} */ id) => id === chosen || resting.has(id)
  return html`<div class="graph scroll" tabindex="0" role="region" aria-label=${label}>
    <svg
      role="group"
      aria-label=${label}
      viewBox="0 0 ${width} ${height}"
      width=${width}
      height=${height}
      data-chosen=${chosen === undefined ? undefined : ''}
    >
      <g aria-hidden="true">
        ${edges.map(
          ({ from, to, path }) =>
            html`<path key=${`${from} ${to}`} d=${path} data-lit=${isOf(from) && isOf(to) ? '' : undefined} />`,
        )}
      </g>
      ${nodes.map((placed) => html`<${NodeBox} key=${placed.node.id} ...${{ placed, own, choose }} isChosen=${placed.node.id === chosen} isLit=${isOf(placed.node.id)} />`)}
    </svg>
  </div>`
}

/**
 * @param {{ placed: PlacedNode, own: string, isChosen: boolean, isLit: boolean, choose: (id: string) => void }} props
 */
function NodeBox({ placed: { node, x, y }, own, isChosen, isLit, choose }) {
  const { id, type, label } = node
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    choose(id)
  }
  return html`<g
    class="node"
    role="button"
    tabindex="0"
    transform="translate(${x} ${y})"
    aria-pressed=${isChosen}
    data-type=${type}
    data-own=${id === own ? '' : undefined}
    data-lit=${isLit ? '' : undefined}
    onClick=${() => choose(id)}
    onKeyDown=${onKeyDown}
  >
    <rect width=${BOX.width} height=${BOX.height} rx="8" />
    <title>${type}: ${label}</title>
    <g aria-hidden="true">
      <text x="10" y="17" class="type">${id === own ? 'this artifact' : type}</text>
      <text x="10" y="34">${shortened(label)}</text>
    </g>
  </g>`
}

/**
 * Cuts a label in its middle, so that its end, which holds the version, stays.
 *
 * @param {string} label
 */
function shortened(label) {
  const characters = Array.from(new Intl.Segmenter().segment(label), ({ segment }) => segment)
  if (characters.length <= LABEL_CHARS) return label
  const end = 9
  return `${characters.slice(0, LABEL_CHARS - end - 1).join('')}…${characters.slice(-end).join('')}`
}
