import { html } from 'htm/preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { signal } from '@preact/signals'
import { markBusy, markIn, partsRead, pending } from '../../app/state.js'
import { later } from './later.js'
import { Busy } from './use-read.js'

/**
 * Returns a component for what stands further down a page: it is loaded and read once all above it can be used. Until then
 * it is busy and the page is not; a reload reads it together with the page. The server finds its modules by this call, and
 * names them in the page for `preload.js`.
 *
 * @template {object} Props
 * @param {() => Promise<import('preact').ComponentType<Props>>} load
 * @returns {import('preact').FunctionComponent<Props>}
 */
export function further(load) {
  const View = later(load)
  return function Further(props) {
    const [isDue, setIsDue] = useState(false)
    const isPageBusy = pending.value > 0
    useEffect(() => {
      if (isPageBusy || isDue) return undefined
      // Once it is painted.
      const begin = setTimeout(() => {
        dispatchEvent(new CustomEvent('svc:further'))
        setIsDue(true)
      })
      return () => clearTimeout(begin)
    }, [isPageBusy])
    const { reads, mark } = useMemo(countReads, [])
    const isBusy = !isDue || reads.value > 0
    useEffect(() => {
      if (isDue && reads.peek() === 0) partsRead.value += 1
    }, [isBusy])
    return html`<div class="further" aria-busy=${isBusy ? 'true' : undefined}>
      <${Busy.Provider} value=${mark}>
        ${isDue ? html`<${View} ...${props} />` : html`<p class="empty">Reading …</p>`}
      <//>
    </div>`
  }
}

/** Counts the first reads apart; later ones keep the page busy. */
function countReads() {
  const reads = signal(0)
  let isRead = false
  const mark = () => {
    if (isRead) return markBusy()
    const finish = markIn(reads)
    return () => {
      finish()
      isRead = reads.value === 0
    }
  }
  return { reads, mark }
}
