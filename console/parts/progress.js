import { element } from './dom.js'
import { formatPercent, formatWord } from './format.js'

/** @typedef {{ id: string, label: string, status: string }} Step */
/** @typedef {{ step?: string, status?: string, fraction?: number, note?: string }} StepEvent */

const MOVING = new Set(['step.start', 'step.end', 'progress'])

/**
 * The stages of a job as a list of bars, which events of its stream move.
 *
 * @param {readonly Step[]} steps
 */
export function createStageBars(steps) {
  const rows = new Map(steps.map((step) => [step.id, createRow(step)]))
  const list = element('ol', { class: 'stages' }, ...[...rows.values()].map(({ item }) => item))
  return {
    list,
    /**
     * Moves the bar of an event's stage. Returns the text for screen readers: starts and ends of stages, not each percent.
     *
     * @param {string} kind
     * @param {StepEvent} event
     * @returns {string | undefined}
     */
    apply(kind, event) {
      const row = rows.get(event.step ?? '')
      // Logs and costs name their stage too, and move nothing.
      if (row === undefined || !MOVING.has(kind)) return undefined
      if (kind === 'progress') {
        row.show('running', event.fraction ?? 0, event.note)
        return undefined
      }
      const status = event.status ?? 'running'
      row.show(status, status === 'running' ? 0 : 1, undefined)
      return `${row.label}: ${formatWord(status)}`
    },
    /** Marks the stages that have not started as not reached, since the job has ended. */
    end() {
      for (const row of rows.values())
        if (row.item.dataset['status'] === 'waiting') row.show('not reached', 0, undefined)
    },
  }
}

/** @param {Step} step */
function createRow({ id, label, status }) {
  const bar = element('progress', { max: 1, value: 0, 'aria-label': label })
  const state = element('span', { class: 'state' })
  const note = element('span', { class: 'quiet note' })
  const item = element('li', { 'data-stage': id }, element('span', { class: 'label' }, label), bar, state, note)
  const row = {
    item,
    label,
    /**
     * @param {string} next
     * @param {number} fraction
     * @param {string | undefined} text
     */
    show(next, fraction, text) {
      item.dataset['status'] = next
      bar.value = next === 'skipped' ? 0 : fraction
      state.textContent = next === 'running' ? formatPercent(fraction) : formatWord(next)
      note.textContent = text ?? ''
    },
  }
  row.show(status === 'pending' ? 'waiting' : status, 0, undefined)
  return row
}
