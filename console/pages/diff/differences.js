import { html } from 'htm/preact'
import { DifferingRows } from './differing-rows.js'
import { FlippedRows } from './flipped-rows.js'
import { RecipeChanges } from './recipe-changes.js'

/**
 * The rows that two artifacts answer differently, and the differences between their recipes.
 *
 * @param {{ diff: import('./diff.js').Diff }} props
 */
export function Differences({ diff }) {
  return html`<${FlippedRows} flipped=${diff.flipped} paired=${diff.performance.paired} />
    <${DifferingRows} runs=${diff.runs} />
    <${RecipeChanges} members=${diff.members} recipes=${diff.recipes} />`
}
