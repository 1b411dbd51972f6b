import { html } from 'htm/preact'
import { useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { askedPart } from '../address.js'
import { leaveDialogs } from '../parts/dialog/ask.js'
import { ErrorBox } from '../parts/error.js'
import { loadPart } from '../parts/read/load-part.js'
import { Reading } from '../parts/read/reading.js'
import { useRead } from '../parts/read/use-read.js'
import { enter, markStale } from './router.js'
import { partsRead, pending, reload, version } from './state.js'
import { Page } from './use-page.js'

/** The browser announces the first page of a visit itself. */
let isFirst = true

/**
 * A page of the console below its heading.
 *
 * @param {{ page: import('../pages/index.js').Page, argument: string, session: import('../session.js').Session }} props
 */
export function PageView({ page, argument, session }) {
  const heading = useHeading(page.title)
  const leaving = useMemo(() => new AbortController(), [])
  useLayoutEffect(
    () => () => {
      leaving.abort()
      leaveDialogs()
    },
    [],
  )
  useLostFocus(heading)
  useAskedPart()
  const { signal } = leaving
  const call = {
    argument,
    session,
    signal,
    // Once the page is left, another is shown, and perhaps typed into: what was written shows in the next one.
    reload: () => (signal.aborted ? markStale() : reload()),
    restart: reload,
  }
  const [fault, forget] = useErrorBoundary()
  const retry = () => {
    forget()
    reload()
  }
  const view = useRead(async () => ({ View: await loadPart(page.load) }), [])
  const title = html`<h1 tabindex="-1" ref=${heading}>${page.title}</h1>`
  if (fault !== undefined) {
    return html`${title}<${ErrorBox} error=${fault} /><button type="button" onClick=${retry}>Try again</button>`
  }
  return html`${title}
    <${Page.Provider} value=${call}>
      <${Reading} of=${view}>
        ${(/** @type {{ View: import('preact').ComponentType<{}> }} */ { View }) => html`<${View} />`}
      <//>
    <//>`
}

/**
 * A page for people who are not signed in.
 *
 * @param {{ page: import('../pages/index.js').EntryPage, argument: string, notice: string | undefined,
 *   ways: import('../session.js').Door['ways'] | undefined }} props
 */
export function EntryView({ page, argument, notice, ways }) {
  const heading = useHeading(page.title)
  const view = useRead(async () => ({ View: await loadPart(page.load) }), [])
  return html`<h1 tabindex="-1" ref=${heading}>${page.title}</h1>
    <${Reading} of=${view}>
      ${(/** @type {{ View: import('preact').ComponentType<import('../pages/index.js').EntryCall> }} */ { View }) =>
        html`<${View} argument=${argument} notice=${notice} ways=${ways} onSignedIn=${enter} />`}
    <//>`
}

/**
 * Gives a new page its title, and moves the focus to its heading, so that a screen reader announces the page.
 *
 * @param {string} title
 */
function useHeading(title) {
  const heading = useRef(/** @type {HTMLElement | null} */ (null))
  useLayoutEffect(() => {
    document.title = `${title} · svc`
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [])
  return heading
}

/** Scrolls to the part of the page that the address asks for, once the page, or what stands further down it, is read. */
function useAskedPart() {
  const isThere = useRef(false)
  const isBusy = pending.value > 0
  useEffect(() => {
    if (isBusy || isThere.current) return
    const part = document.getElementById(askedPart())
    part?.scrollIntoView()
    isThere.current = part !== null
  }, [isBusy, partsRead.value])
}

/**
 * Moves the focus to the heading when a reload has taken away the element that had it.
 *
 * @param {{ readonly current: HTMLElement | null }} heading
 */
function useLostFocus(heading) {
  const seen = useRef(version.value)
  const isBusy = pending.value > 0
  useLayoutEffect(() => {
    if (isBusy || seen.current === version.value) return
    seen.current = version.value
    if (document.activeElement === document.body) heading.current?.focus()
  }, [isBusy])
}
