import { html } from 'htm/preact'
import { useEffect, useRef } from 'preact/hooks'
import { PAGES, SECTIONS } from '../pages/index.js'
import { pick } from './router.js'

/**
 * The sections, and below them the pages of the current one. A section leads to its first page, and only pages that the
 * session may open are listed.
 *
 * @param {{ current: string, session: import('../session.js').Session }} props
 */
export function Navigation({ current, session: { can } }) {
  const sections = useRef(/** @type {HTMLElement | null} */ (null))
  const pages = useRef(/** @type {HTMLElement | null} */ (null))
  const marked = pick(PAGES, current)?.within ?? current
  const section = pick(PAGES, marked)?.section
  // On narrow screens both rows scroll, and the current link may lie outside of them.
  useEffect(() => {
    for (const row of [sections, pages]) {
      row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
    }
  }, [marked])
  const offered = Object.entries(PAGES).filter(([, page]) => page.section !== undefined && can(page.scope))
  const within = offered.filter(([, page]) => page.section === section)
  return html`<nav class="sections" aria-label="Sections" ref=${sections}>
      ${Object.entries(SECTIONS).map(([name, title]) => {
        const first = offered.find(([, page]) => page.section === name)
        if (first === undefined) return null
        return html`<a key=${name} href="#/${first[0]}" aria-current=${name === section ? 'true' : undefined}
          >${title}</a
        >`
      })}
    </nav>
    ${
      within.length > 0 &&
      html`<nav class="pages" aria-label="Pages" ref=${pages}>
        ${within.map(
          ([name, { title }]) =>
            html`<a key=${name} href="#/${name}" aria-current=${name === marked ? 'page' : undefined}>${title}</a>`,
        )}
      </nav>`
    }`
}
