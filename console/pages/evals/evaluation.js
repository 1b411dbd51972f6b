import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Facts, Heading } from '../../parts/facts.js'
import { Field } from '../../parts/form/field.js'
import { formatInstant, formatNumber, formatScore, formatState } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { useRead } from '../../parts/read/use-read.js'
import { comparableTexts, differenceOf, Marked, textOf } from '../../parts/table/difference.js'
import { Table } from '../../parts/table/table.js'
import { CompareWith } from './compare-with.js'
import { FiguresTable } from './figures.js'
/** @typedef {import('./evals.js').Evaluation} Evaluation */
/** @typedef {import('zod').output<typeof import('../../../core/learn/wire/evals/evals.ts').EvalRowsAnswer>} RowsAnswer */
/** @typedef {RowsAnswer['rows'][number]} Row */

/** One evaluation: its figures, a comparison with another, and its rows. */
export function EvaluationPage() {
  const { argument } = usePage()
  const read = useRead(
    async (signal) => {
      /** @type {Evaluation} */
      const evaluation = await get(`/v1/evals/${encodeURIComponent(argument)}`, signal)
      return evaluation
    },
    [argument],
  )
  return html`<${Reading} of=${read}>
    ${(/** @type {Evaluation} */ evaluation) => html`<${Shown} evaluation=${evaluation} />`}
  <//>`
}

/** @param {{ evaluation: Evaluation }} props */
function Shown({ evaluation }) {
  const { evaluation_id: id, figures } = evaluation
  const log = (/** @type {string} */ format) => withQuery(`/v1/evals/${id}/log`, { format })
  return html`<${Facts}
      facts=${[
        ['Name', evaluation.name],
        [
          'Target',
          evaluation.target.startsWith('cmp_')
            ? html`<a href="#/artifact/${evaluation.target}">${evaluation.target}</a>`
            : evaluation.target,
        ],
        ['State', formatState(evaluation.state, evaluation.error)],
        ['Rows', `${formatNumber(evaluation.scored)} of ${formatNumber(evaluation.rows)} scored`],
        evaluation.source === 'asserted' && ['Source', 'Stated by an imported log, not measured here'],
        evaluation.dataset !== null && [
          'Rows of',
          html`<a href="#/dataset/${evaluation.dataset.id}">${evaluation.dataset.id}</a>, version
            ${' '}${formatNumber(evaluation.dataset.version)}, ${SIDES[evaluation.dataset.side]}`,
        ],
        ...usageFacts(evaluation.usage),
        ['Started', formatInstant(evaluation.created_at)],
        evaluation.cut_tokens > 0 && ['Tokens cut from prompts', formatNumber(evaluation.cut_tokens)],
      ]}
    />
    <${Heading} text="Figures">
      ${
        figures !== null &&
        html`<div class="buttons">
          <a class="button small" href=${log('inspect')} download=${`${id}.eval`}>Log for Inspect</a>
          <a class="button small" href=${log('lm-eval')} download=${`${id}.zip`}>Log for lm-eval</a>
        </div>`
      }
    <//>
    <${FiguresTable} figures=${figures ?? []} />
    ${figures !== null && html`<${CompareWith} id=${id} />`}
    <${Heading} text="Rows" />
    <${Rows} id=${id} />`
}

/** @type {Readonly<Record<NonNullable<Evaluation['dataset']>['side'], string>>} */
const SIDES = { holdout: 'held-out rows', train: 'rows to learn from', all: 'all rows' }

/** @param {Evaluation['usage']} usage */
function usageFacts(usage) {
  if (usage === null) return []
  const { answered, input_tokens: input, output_tokens: output, cost_usd: cost } = usage
  return [
    ['Rows answered', formatNumber(answered)],
    ['Tokens', `${formatNumber(input)} in, ${formatNumber(output)} out`],
    ['Cost', cost === null ? 'not known' : `${cost.toFixed(6)} USD`],
  ]
}

const SHOWN = /** @type {const} */ ([
  ['', 'All rows'],
  ['false', 'Wrong rows'],
  ['true', 'Right rows'],
])

/** @param {{ id: string }} props */
function Rows({ id }) {
  const { signal } = usePage()
  const [right, setRight] = useState('')
  const rows = usePaged(
    async (from) => {
      /** @type {RowsAnswer} */
      const page = await get(
        withQuery(`/v1/evals/${id}/rows`, { limit: 50, from, right: right === '' ? undefined : right }),
        signal,
      )
      return { items: page.rows, next: page.next_from === null ? null : String(page.next_from) }
    },
    [id, right],
  )
  const choose = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
    setRight(currentTarget.value)
  return html`<div class="toolbar">
      <${Field} as="select" label="Show" name="right" options=${SHOWN} chosen=${right} onChange=${choose} />
    </div>
    <${Table}
      caption="Rows of the evaluation"
      paged=${rows}
      empty="No such rows."
      keyOf=${(/** @type {Row} */ { row }) => String(row)}
      filter=${(/** @type {Row} */ row) => `${row.slice ?? ''} ${promptOf(row)} ${expectedOf(row)} ${gotOf(row)}`}
      columns=${COLUMNS}
    />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Row>[]} */
const COLUMNS = [
  { title: 'Row', cell: ({ row }) => formatNumber(row), sort: ({ row }) => row, isNumeric: true },
  {
    title: 'Prompt',
    cell: (row) =>
      html`<details>
        <summary>${promptOf(row).trim().split('\n').at(-1)?.slice(-120)}</summary>
        <pre>${promptOf(row)}</pre>
      </details>`,
    isWide: true,
  },
  { title: 'Expected', cell: (row) => html`<${Marked} difference=${differenceIn(row)} side="expected" />` },
  { title: 'Got', cell: (row) => html`<${Marked} difference=${differenceIn(row)} side="got" />` },
  { title: 'Slice', cell: ({ slice }) => slice ?? '–', sort: ({ slice }) => slice },
  {
    title: 'Result',
    cell: (row) => (row.right === null ? aloneText(row) : row.right ? 'right' : 'wrong'),
    sort: ({ right, scores: [score] }) => (right === null ? Object.values(score?.alone ?? {})[0] : Number(right)),
  },
]

/**
 * The scores of a row alone, where rows are neither right nor wrong.
 *
 * @param {Row} row
 */
function aloneText({ scores: [score] }) {
  const alone = Object.entries(score?.alone ?? {})
  return alone.map(([metric, value]) => `${metric} ${formatScore(value)}`).join(', ') || '–'
}

/** @param {Row} row */
function differenceIn(row) {
  return differenceOf(...comparableTexts(expectedOf(row), gotOf(row)))
}

/** @param {Row} row */
function promptOf({ requests: [request] }) {
  return textOf(request?.['context'] ?? request?.['text'] ?? '')
}

/**
 * The expected answer; of multiple choice the option.
 *
 * @param {Row} row
 */
function expectedOf({ expected, choices }) {
  return optionText(expected, choices)
}

/** @param {Row} row */
function gotOf({ got, choices }) {
  return optionText(got, choices)
}

/**
 * @param {unknown} value
 * @param {readonly string[] | null} choices
 */
function optionText(value, choices) {
  return textOf(typeof value === 'number' && choices !== null ? (choices[value] ?? value) : value)
}
