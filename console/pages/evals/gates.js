import { html } from 'htm/preact'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { formatInstant, formatNumber, formatState } from '../../parts/format.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { Table } from '../../parts/table/table.js'
/** @typedef {import('zod').output<typeof import('../../../core/learn/wire/gates.ts').GateView>} Gate */

/** The data on which a gate compares its sides, in words. */
const MODES = { sealed: 'sealed holdout', sequential: 'rows, one after another', evaluations: 'two evaluations' }
/** The words of a decision. */
const DECISIONS = { promote: 'promote', block: 'do not promote' }

/** Measured gates, newest first. */
export function GatesPage() {
  const { signal } = usePage()
  const gates = usePaged(async (cursor) => {
    /** @type {{ gates: readonly Gate[], next_cursor: string | null }} */
    const page = await get(withQuery('/v1/eval/gates', { limit: 50, cursor }), signal)
    return { items: page.gates, next: page.next_cursor }
  }, [])
  return html`<${Table}
    caption="Gates, newest first"
    paged=${gates}
    empty=${html`No gates yet. <code>svc eval gate CANDIDATE BASELINE --rows rows.jsonl</code> starts one;
      <a href="/docs/learn/gates">the guide</a> says more.`}
    keyOf=${(/** @type {Gate} */ { gate_id: id }) => id}
    filter=${(/** @type {Gate} */ gate) => `${sidesOf(gate).join(' ')} ${MODES[gate.mode]}`}
    columns=${COLUMNS}
  />`
}

/**
 * Returns candidate and baseline by their ids.
 *
 * @param {Gate} gate
 * @returns {readonly [string, string]}
 */
export function sidesOf(gate) {
  return [
    gate.candidate_artifact_id ?? gate.candidate_evaluation_id ?? '',
    gate.baseline_artifact_id ?? gate.baseline_evaluation_id ?? '',
  ]
}

/**
 * Returns what a gate compares its sides on, in words.
 *
 * @param {Gate} gate
 */
export function modeOf({ mode }) {
  return MODES[mode]
}

/**
 * Returns the decision in words.
 *
 * @param {Gate} gate
 */
export function decisionOf({ decision }) {
  return decision === null ? '–' : DECISIONS[decision]
}

/** @type {readonly import('../../parts/table/table.js').Column<Gate>[]} */
const COLUMNS = [
  {
    title: 'Gate',
    cell: (gate) =>
      html`<span class="named"
        ><a href=${`#/gate/${gate.gate_id}`}>${gate.gate_id}</a
        ><span class="quiet">${sidesOf(gate).join(' against ')}</span></span
      >`,
    isWide: true,
  },
  { title: 'On', cell: modeOf },
  { title: 'State', cell: ({ state, error_code: code }) => html`<${Badge} status=${formatState(state, code)} />` },
  { title: 'Rows', cell: ({ rows }) => formatNumber(rows), sort: ({ rows }) => rows, isNumeric: true },
  { title: 'Decision', cell: decisionOf, sort: ({ decision }) => decision ?? '' },
  { title: 'Registered', cell: ({ created_at: at }) => html`<time datetime=${at}>${formatInstant(at)}</time>` },
]
