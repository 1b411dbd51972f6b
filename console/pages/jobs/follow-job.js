import { html } from 'htm/preact'
import { useEffect, useReducer, useRef } from 'preact/hooks'
import { followEvents } from '../../parts/read/event-stream.js'
import { formatTime } from '../../parts/format.js'
import { Stages } from '../../parts/progress.js'
import { LossChart } from './loss-chart.js'
import { applyEvent, NO_EVENTS } from './live-job.js'

/** The kinds of event that the page shows. */
const KINDS = ['hello', 'step.start', 'step.end', 'progress', 'metric', 'cost', 'log', 'done', 'gated', 'error']
const LAST = ['done', 'gated', 'error']
/** The last events of a job that was gated and then accepted. */
const LAST_ACCEPTED = ['done', 'error']

/**
 * @typedef {object} Following
 * @property {string} id of the job
 * @property {boolean} isAccepted whether the job was signed below its floor, and so continued after it was gated
 * @property {() => void} onStart called when the job is no longer waiting
 * @property {(kind: string) => void} onEnd called at the last event
 * @property {(number: number) => void} onQuestion called with the number of each question that the job asks
 * @property {(error: unknown) => void} onError
 * @property {() => Promise<boolean>} look as of `followEvents`
 * @property {(error: unknown) => boolean} isFinal
 */

/**
 * The stages of a job as they move, and its log. Follows the job's events from the first one.
 *
 * @param {Following & { isSpoken: boolean }} props `isSpoken` for a job that is under way: screen readers are notified of
 *   its stages
 */
export function LiveJob({ isSpoken, ...following }) {
  const [live, apply] = useReducer(applyEvent, NO_EVENTS)
  const latest = useRef(following)
  latest.current = following
  useEffect(() => {
    const leaving = new AbortController()
    followEvents({
      path: `/v1/compile/stream/${following.id}`,
      kinds: KINDS,
      signal: leaving.signal,
      look: async () => await latest.current.look(),
      isFinal: (error) => latest.current.isFinal(error),
      onError: (error) => latest.current.onError(error),
      onCut: (isCut) => apply({ kind: 'cut', data: { isCut } }),
      onEvent(kind, data) {
        apply({ kind, data })
        if (kind === 'step.start' && data.step !== 'queued') latest.current.onStart()
        if (data.code === 'question_asked') latest.current.onQuestion(data.question)
        if (!(following.isAccepted ? LAST_ACCEPTED : LAST).includes(kind)) return false
        latest.current.onEnd(kind)
        return true
      },
    })
    return () => leaving.abort()
  }, [following.id, following.isAccepted])
  return html`<section aria-labelledby="live">
      <h2 id="live">Stages</h2>
      ${live.isCut && html`<p class="notice" role="status">The connection was lost. Reconnecting …</p>`}
      ${live.stages.length > 0 && html`<${Stages} stages=${live.stages} />`}
      <${LossChart} points=${live.losses} />
    </section>
    <p class="unseen" aria-live="polite">${isSpoken ? live.spoken : ''}</p>
    <details>
      <summary>Log</summary>
      <ol class="log" tabindex="0" aria-label="Log">
        ${live.log.map(
          ({ kind, at, words }, place) =>
            html`<li key=${place}>
              ${at && html`<time datetime=${at}>${formatTime(at)}</time>`}<b>${kind}</b><span>${words}</span>
            </li>`,
        )}
      </ol>
    </details>`
}
