import { element } from '../../parts/dom.js'
import { formatNumber, formatScore } from '../../parts/format.js'
import { table } from '../../parts/table.js'
/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/jobs/leaves.ts').LeafView>} Leaf */

/**
 * The leaves of a composite recipe in the order of its tree, each with its kind and its accuracy.
 *
 * @param {readonly Leaf[] | undefined} leaves
 * @returns {readonly HTMLElement[]}
 */
export function leavesTable(leaves) {
  if (leaves === undefined) return []
  return [
    element('h2', {}, 'Leaves'),
    table({
      caption: 'Leaves of the recipe',
      columns: [
        { title: 'Leaf', cell: nameOf, isWide: true },
        { title: 'Kind', cell: ({ kind }) => kind },
        { title: 'Accuracy and its interval', cell: accuracyOf },
        { title: 'Rows', cell: ({ n }) => formatNumber(n), isNumeric: true },
      ],
      rows: leaves,
      empty: 'The recipe has no leaf.',
    }),
  ]
}

/** @param {Leaf} leaf */
function accuracyOf({ accuracy, interval }) {
  return `${formatScore(accuracy)} (${formatScore(interval.low)} to ${formatScore(interval.high)})`
}

/**
 * The last step of the path, further to the right the deeper it lies.
 *
 * @param {Leaf} leaf
 */
function nameOf({ path, part }) {
  const steps = path.split('/').slice(1)
  const name = steps.at(-1)?.replaceAll('~1', '/').replaceAll('~0', '~') ?? 'the output'
  const indent = '\u2003'.repeat(Math.max(0, steps.length - 1))
  return element('code', { title: path }, `${indent}${name}${part === 'present' ? ' is there' : ''}`)
}
