import { html } from 'htm/preact'
import { differenceOf, Marked, textOf } from '../../parts/table/difference.js'
import { formatNumber } from '../../parts/format.js'
import { Table } from '../../parts/table/table.js'
/** @typedef {import('./diff.js').Diff} Diff */
/** @typedef {NonNullable<Diff['recipes']>} Recipes */

/**
 * Shows the differences between two recipes: programs, labels, hyperparameters, and the members of the archives.
 *
 * @param {{ members: Diff['members'], recipes: Diff['recipes'] }} props
 */
export function RecipeChanges({ members, recipes }) {
  return html`<h2>Recipes</h2>
    ${recipes !== null && html`<${Sides} recipes=${recipes} />`}
    <details>
      <summary>Members of the archives</summary>
      <${Table} caption="Members of the archives" rows=${members} empty="No member is known." columns=${MEMBERS} />
    </details>`
}

/** @param {{ recipes: Recipes }} props */
function Sides({ recipes }) {
  const { same, programs, labels, hyperparameters } = recipes
  const changed = hyperparameters.filter((one) => !one.same)
  return html`${same && html`<p>Both hold the same recipe.</p>`}
  ${programs.map((program) => html`<${Program} key=${program.name} program=${program} />`)}
  ${labels.map((each) => html`<${Labels} key=${each.place} labels=${each} />`)}
  ${
    hyperparameters.length > 0 &&
    html`<${Table}
      caption="Hyperparameters that differ"
      rows=${changed}
      empty="All ${formatNumber(hyperparameters.length)} hyperparameters are the same."
      columns=${SETTINGS}
    />`
  }`
}

/** @param {{ program: Recipes['programs'][number] }} props */
function Program({ program: { name, a, b, same } }) {
  if (same) return html`<p>The program of ${name} is the same: <code>${a}</code></p>`
  const difference = differenceOf(a ?? '', b ?? '')
  return html`<div class="sides">
    <section aria-label="First program of ${name}">
      <h3>${name}, first</h3>
      ${a === null ? html`<p class="quiet">No program.</p>` : html`<${Marked} difference=${difference} side="expected" />`}
    </section>
    <section aria-label="Second program of ${name}">
      <h3>${name}, second</h3>
      ${b === null ? html`<p class="quiet">No program.</p>` : html`<${Marked} difference=${difference} side="got" />`}
    </section>
  </div>`
}

/** @param {{ labels: Recipes['labels'][number] }} props */
function Labels({ labels: { place, only_a: onlyA, only_b: onlyB, shared } }) {
  const named = (/** @type {readonly unknown[]} */ list) => list.map((label) => textOf(label)).join(', ')
  return html`<p>
    Labels of ${place}: ${formatNumber(shared)} in
    both${onlyA.length > 0 && `, only in the first: ${named(onlyA)}`}${onlyB.length > 0 && `, only in the second: ${named(onlyB)}`}.
  </p>`
}

/** @type {readonly import('../../parts/table/table.js').Column<Recipes['hyperparameters'][number]>[]} */
const SETTINGS = [
  { title: 'Hyperparameter', cell: ({ name }) => html`<code>${name}</code>`, isWide: true },
  { title: 'First', cell: ({ a }) => (a === null ? '–' : html`<code class="long">${textOf(a)}</code>`) },
  { title: 'Second', cell: ({ b }) => (b === null ? '–' : html`<code class="long">${textOf(b)}</code>`) },
]

/** @type {readonly import('../../parts/table/table.js').Column<Diff['members'][number]>[]} */
const MEMBERS = [
  { title: 'Member', cell: ({ name }) => html`<code>${name}</code>`, isWide: true },
  { title: 'Is', cell: ({ a, b, same }) => (same ? 'the same' : a === null ? 'new' : b === null ? 'gone' : 'changed') },
  { title: 'First', cell: ({ a }) => html`<code class="long">${a ?? '–'}</code>` },
  { title: 'Second', cell: ({ b }) => html`<code class="long">${b ?? '–'}</code>` },
]
