import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { Badge } from '../../parts/badge.js'
import { Segments } from '../../parts/buttons/segments.js'
import { formatNumber } from '../../parts/format.js'
import { comparableTexts, differenceOf, Marked } from '../../parts/table/difference.js'
import { ValueText } from '../../parts/table/members.js'
import { Table } from '../../parts/table/table.js'
/** @typedef {import('./diff.js').Diff} Diff */
/** @typedef {Diff['flipped'][number]} Flip */

/**
 * The scored rows that only one of two artifacts is right on.
 *
 * @param {{ flipped: readonly Flip[], paired: Diff['performance']['paired'] }} props
 */
export function FlippedRows({ flipped, paired }) {
  const [only, setOnly] = useState('')
  const rows = flipped.filter(({ flip }) => only === '' || flip === only)
  return html`<h2>Scored rows that flipped</h2>
    <p class="quiet">
      Both were scored on ${formatNumber(paired.rows)} rows: both right on ${formatNumber(paired.both_right)}, both
      wrong on ${' '}${formatNumber(paired.both_wrong)}. Each result comes from a recipe that did not learn from the
      row.
    </p>
    ${
      flipped.length > 0 &&
      html`<div class="toolbar">
        <${Segments}
          label="Rows shown"
          options=${[
            ['', 'All'],
            ['lost', `Lost (${formatNumber(paired.lost)})`],
            ['won', `Won (${formatNumber(paired.won)})`],
          ]}
          chosen=${only}
          choose=${setOnly}
        />
      </div>`
    }
    <${Table}
      caption="Scored rows that only one is right on"
      rows=${rows}
      empty="No row flipped."
      keyOf=${(/** @type {Flip} */ { a, b }) => `${a.row_id} ${b.row_id}`}
      filter=${(/** @type {Flip} */ { input, b }) => `${b.row_id} ${JSON.stringify(input) ?? ''}`}
      columns=${COLUMNS}
    />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Flip>[]} */
const COLUMNS = [
  {
    title: 'Flip',
    cell: ({ flip }) => html`<${Badge} status=${flip === 'lost' ? 'failed' : 'ready'} text=${flip} />`,
    sort: ({ flip }) => flip,
  },
  { title: 'Row', cell: ({ b }) => html`<code class="id">${b.row_id}</code>` },
  { title: 'Input', cell: ({ input }) => shownValue(input), isWide: true },
  { title: 'Expected', cell: ({ expected }) => shownValue(expected), isWide: true },
  { title: 'First', cell: (row) => answerOf(row, 'a'), isWide: true },
  { title: 'Second', cell: (row) => answerOf(row, 'b'), isWide: true },
]

/**
 * The answer of one side; the wrong one with the part that differs from the expected output marked.
 *
 * @param {Flip} row
 * @param {'a' | 'b'} side
 */
function answerOf({ expected, ...sides }, side) {
  const { got, result } = sides[side]
  if (result !== 'right' && result !== 'wrong') return html`<span class="quiet">no answer</span>`
  if (got === undefined || expected === undefined || result === 'right') return shownValue(got)
  const [one, other] = comparableTexts(expected, got)
  return html`<${Marked} difference=${differenceOf(one, other)} side="got" />`
}

/** @param {unknown} value */
function shownValue(value) {
  return value === undefined ? html`<span class="quiet">digest only</span>` : html`<${ValueText} value=${value} />`
}
