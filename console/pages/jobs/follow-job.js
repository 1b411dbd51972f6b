import { followEvents } from '../../parts/event-stream.js'
import { element, say } from '../../parts/dom.js'
import { formatTime } from '../../parts/format.js'
import { createStageBars } from '../../parts/progress.js'

/** The kinds of event that the page shows. */
const KINDS = ['hello', 'step.start', 'step.end', 'progress', 'metric', 'cost', 'log', 'done', 'gated', 'error']
const LAST = ['done', 'gated', 'error']
/** Kinds that come by the hundred, and that bars show better. */
const NOT_LOGGED = new Set(['hello', 'progress', 'metric'])

/**
 * The stages of a job as they move, and its log. Follows the job's events from the first one; `onEnd` is called at the
 * last one, and absent for a job that was over before, of which nothing is said aloud; `onStart` when the job is no
 * longer waiting, `onQuestion` with the number of each question that it asks.
 *
 * @param {{ id: string, signal: AbortSignal, onStart: () => void, onEnd: (() => void) | undefined,
 *   onQuestion: (number: number) => void, onError: (error: unknown) => void, look: () => Promise<boolean>, isFinal: (error: unknown) => boolean }} input
 * @returns {readonly Node[]}
 */
export function followJob({ id, signal, onStart, onQuestion, onEnd, onError, look, isFinal }) {
  const cut = element('p', { class: 'notice', role: 'status', hidden: true }, 'The connection is lost; trying again …')
  const live = element('section', { 'aria-labelledby': 'live' }, element('h2', { id: 'live' }, 'Stages'), cut)
  // A scrolling area must be reachable by the keyboard.
  const log = element('ol', { class: 'log', tabindex: 0, 'aria-label': 'Log' })
  const spoken = element('p', { class: 'unseen', 'aria-live': 'polite' })
  /** @type {ReturnType<typeof createStageBars> | undefined} */
  let bars
  followEvents({
    path: `/v1/compile/stream/${id}`,
    kinds: KINDS,
    signal,
    look,
    isFinal,
    onError,
    onCut: (isCut) => {
      cut.hidden = !isCut
    },
    onEvent(kind, data) {
      if (kind === 'hello') {
        bars?.list.remove()
        bars = createStageBars(data.steps)
        live.append(bars.list)
      }
      const words = bars?.apply(kind, data)
      if (kind === 'step.start' && data.step !== 'queued' && onEnd) onStart()
      if (words !== undefined && onEnd) spoken.textContent = words
      if (data.code === 'question_asked') onQuestion(data.question)
      if (!NOT_LOGGED.has(kind)) log.append(logLine(kind, data))
      if (!LAST.includes(kind)) return false
      bars?.end()
      if (onEnd) {
        say(kind === 'done' ? 'The job is done.' : 'The job has ended.')
        onEnd()
      }
      return true
    },
  })
  return [live, spoken, element('details', {}, element('summary', {}, 'Log'), log)]
}

/**
 * @param {string} kind
 * @param {Record<string, unknown>} data
 */
function logLine(kind, data) {
  const words = Object.entries(data)
    .filter(([name]) => name !== 'at' && name !== 'seq')
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const at = data['at']
  const time = typeof at === 'string' ? element('time', { datetime: at }, formatTime(at)) : undefined
  return element('li', {}, time, element('b', {}, kind), element('span', {}, words.join(', ')))
}
