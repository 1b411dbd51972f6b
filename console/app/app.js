import { html } from 'htm/preact'
import { useRef } from 'preact/hooks'
import { call } from '../api.js'
import { FRONT, PAGES } from '../pages/index.js'
import { askFirst } from '../parts/dialog/ask.js'
import { Dialogs } from '../parts/dialog/dialogs.js'
import { ErrorBox, useActions } from '../parts/error.js'
import { shownZone } from '../parts/format.js'
import { said } from '../parts/say.js'
import { EntryView, PageView } from './page-view.js'
import { FirstRun } from './first-run.js'
import { Navigation } from './navigation.js'
import { leave, pick, shown } from './router.js'
import { isWorkspace, pending, reload } from './state.js'
import { ThemeButton } from './theme-button.js'
import { WorkspaceNote } from './workspace-note.js'
/** @typedef {import('./router.js').Shown} Shown */

/** The frame around every page: bar, content, foot, and what is said at the bottom. */
export function App() {
  const content = useRef(/** @type {HTMLElement | null} */ (null))
  const actions = useActions()
  const now = shown.value
  const skip = (/** @type {Event} */ event) => {
    // The address belongs to the pages; a skip must not change it.
    event.preventDefault()
    content.current?.focus()
  }
  const signOut = () =>
    actions.run(async () => {
      const perform = async () => {
        await call('POST', '/v1/session/logout')
        leave()
      }
      if (isWorkspace.value) await askFirst({ ...LEAVE_WORKSPACE, perform })
      else await perform()
    })
  const isInside = now.kind === 'page' || now.kind === 'trouble'
  return html`<a class="skip" href="#content" onClick=${skip}>Skip to the content</a>
    <header class="bar">
      <a class="brand" href="#/"><img src="/console/icon.svg" alt="" width="22" height="22" />svc</a>
      ${now.kind === 'page' && html`<${Navigation} current=${now.name} session=${now.session} />`}
      <div class="who">
        ${now.kind === 'page' && html`<span id="tenant">${now.session.account?.name}</span>`}
        ${now.kind === 'entry' && now.page === FRONT && html`<${FrontLink} />`}
        <${ThemeButton} />
        ${isInside && html`<button type="button" class="quiet" id="sign-out" onClick=${signOut}>Sign out</button>`}
      </div>
    </header>
    <main
      id="content"
      tabindex="-1"
      ref=${content}
      data-page=${now.kind === 'page' ? now.name : undefined}
      aria-busy=${pending.value > 0 ? 'true' : undefined}
    >
      <${ErrorBox} error=${actions.error} />
      ${now.kind === 'page' && html`<${WorkspaceNote} session=${now.session} /><${FirstRun} session=${now.session} page=${now.name} />`}
      ${contentOf(now)}
    </main>
    <footer>
      ${now.kind === 'page' && html`<span>Times are in ${shownZone()}.</span>`} <a href="/docs">Documentation</a>
    </footer>
    <p role="status" class=${said.value.isShown ? 'status shown' : 'status'}>${said.value.text}</p>
    <${Dialogs} />`
}

/** Nothing else opens such a workspace: the browser has its session, and no person has its token. */
const LEAVE_WORKSPACE = {
  title: 'Leave this workspace?',
  text: 'It has no account: after you sign out, it cannot be opened again. Make it an account first to keep its jobs and artifacts.',
  confirm: 'Sign out and leave it',
}

/** The way on from the front page. */
function FrontLink() {
  return isWorkspace.value
    ? html`<a class="button small" href="#/jobs">Your workspace</a>`
    : html`<a class="button small" href="#/sign-in">Sign in</a>`
}

/** @param {Shown} now */
function contentOf(now) {
  switch (now.kind) {
    case 'nothing':
      return null
    case 'page': {
      const page = pick(PAGES, now.name)
      const key = page?.isOfOne ? `${now.name}/${now.argument}` : now.name
      return page && html`<${PageView} key=${key} page=${page} argument=${now.argument} session=${now.session} />`
    }
    case 'entry':
      return html`<${EntryView} key=${now.visit} ...${now} />`
    case 'trouble':
      return html`<h1 tabindex="-1">svc</h1>
        <${ErrorBox} error=${now.error} />
        <button type="button" onClick=${reload}>Try again</button>`
  }
}
