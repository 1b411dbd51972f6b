import { html } from 'htm/preact'
import { useRef, useState } from 'preact/hooks'
import { call, get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Segments } from '../../parts/buttons/segments.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { Heading } from '../../parts/facts.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { say } from '../../parts/say.js'
import { CaptureCard } from './capture-card.js'
import { fixOutput } from './fix-output.js'

/** @typedef {import('zod').output<typeof import('../../../core/gateway/wire/captures/captures.ts').CaptureItem>} Capture */
/** @typedef {'approve' | 'fix' | 'reject'} Decision */

/** @type {readonly (readonly [value: string, text: string])[]} */
const LISTS = [
  ['pending', 'To review'],
  ['approved', 'Approved'],
  ['rejected', 'Rejected'],
  ['quarantined', 'Quarantined'],
]

/** @type {Readonly<Record<string, Decision>>} */
const KEYS = { a: 'approve', f: 'fix', r: 'reject' }

const DONE = { approve: 'Approved.', fix: 'Fixed and approved.', reject: 'Rejected.' }

/**
 * Captures of a namespace, or of all, which are approved, fixed and rejected by keys or buttons. A reviewed one stays
 * where it is until the list is read again.
 *
 * @param {{ namespace?: string | undefined }} props
 */
export function Review({ namespace }) {
  const { session, signal } = usePage()
  const [status, setStatus] = useState('pending')
  const [current, setCurrent] = useState(/** @type {string | undefined} */ (undefined))
  const [changed, setChanged] = useState(/** @type {ReadonlyMap<string, Partial<Capture>>} */ (new Map()))
  const feed = useRef(/** @type {HTMLElement | null} */ (null))
  const actions = useActions()
  const paged = usePaged(
    async (cursor, abort = signal) => {
      /** @type {{ captures: readonly Capture[], next_cursor: string | null }} */
      const page = await get(withQuery('/v1/captures/list', { namespace, status, limit: 10, cursor }), abort)
      return { items: page.captures, next: page.next_cursor }
    },
    [namespace, status],
  )
  const captures = (paged.rows ?? []).map((capture) => ({ ...capture, ...changed.get(capture.id) }))
  const mayReview = session.can('capture:write')

  /** @param {number} place */
  const focus = (place) => {
    const card = feed.current?.children[place]
    if (card instanceof HTMLElement) card.focus()
  }
  const decide = (/** @type {Capture} */ capture, /** @type {Decision} */ decision) =>
    actions.run(async () => {
      const review = await reviewed(capture, decision)
      if (review === undefined) return
      setChanged((before) => new Map(before).set(capture.id, review))
      say(DONE[decision])
      focus(captures.findIndex(({ id }) => id === capture.id) + 1)
    })
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    const place = captures.findIndex(({ id }) => id === current)
    const capture = captures[place]
    if (capture === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key]
    const decision = KEYS[event.key]
    if (step === undefined && (decision === undefined || !mayReview)) return
    event.preventDefault()
    if (step !== undefined) focus(place + step)
    else if (decision !== undefined) decide(capture, decision)
  }
  return html`<${Heading} text="Captures" />
    <div class="toolbar">
      <${Segments} label="Captures" options=${LISTS} chosen=${status} choose=${setStatus} />
    </div>
    ${
      captures.length > 0 &&
      html`<p class="quiet keys" id="review-keys">
        With a capture in focus: <kbd>j</kbd> next, <kbd>k</kbd> previous${
          mayReview && html`, <kbd>a</kbd> approve, <kbd>f</kbd> fix the output, <kbd>r</kbd> reject`
        }.
      </p>`
    }
    <${ErrorBox} error=${actions.error ?? paged.error} />
    ${paged.rows === undefined && paged.error === undefined && html`<p class="empty">Reading …</p>`}
    ${paged.rows?.length === 0 && html`<p class="empty">${status === 'pending' ? 'No capture waits for a review.' : `No ${status} captures.`}</p>`}
    <div
      class="feed"
      role="feed"
      aria-label="Captures"
      aria-busy=${paged.isReadingMore}
      ref=${feed}
      onKeyDown=${onKeyDown}
      hidden=${captures.length === 0}
    >
      ${captures.map(
        (capture, place) =>
          html`<${CaptureCard}
            key=${capture.id}
            capture=${capture}
            place=${place + 1}
            count=${paged.hasMore ? -1 : captures.length}
            isCurrent=${capture.id === (current ?? captures[0]?.id)}
            isOpen=${capture.id === current}
            onFocus=${() => setCurrent(capture.id)}
            decide=${mayReview && ((/** @type {Decision} */ decision) => decide(capture, decision))}
          />`,
      )}
    </div>
    ${
      paged.hasMore &&
      html`<button type="button" class="more" aria-disabled=${paged.isReadingMore} onClick=${() => void paged.more()}>
        Show more
      </button>`
    }`
}

/**
 * Sends a decision. Returns what changes of the capture; undefined when the dialog for another output was cancelled.
 *
 * @param {Capture} capture
 * @param {Decision} decision
 * @returns {Promise<Partial<Capture> | undefined>}
 */
async function reviewed({ id }, decision) {
  if (decision === 'fix') return await fixOutput(id)
  /** @type {{ status: Capture['status'] }} */
  const { status } = await call('POST', `/v1/captures/${id}/review`, { action: decision })
  return { status }
}
