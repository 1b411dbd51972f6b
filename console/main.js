import { ApiError, call, get } from './api.js'
import { readAddress } from './address.js'
import { signInPage } from './pages/entry/sign-in.js'
import { LINKS, PAGES } from './pages/index.js'
import { leaveDialogs } from './parts/dialog.js'
import { byId, element } from './parts/dom.js'
import { errorBox } from './parts/error.js'
import { shownZone } from './parts/format.js'
import { wireThemeButton } from './parts/buttons/theme-button.js'
import { readSession } from './session.js'

const ENDED = 'Your session has ended: it was closed, or its time is over. Sign in to go on.'

const content = byId('content', HTMLElement)
const navigation = byId('navigation', HTMLElement)
const signOut = byId('sign-out', HTMLButtonElement)
const tenant = byId('tenant', HTMLElement)

/** @type {import('./session.js').Session | undefined} */
let session
/** @type {AbortController | undefined} */
let shown
let isFirst = true
/** True when a previous page has written a change since the session was read. */
let isStale = false
/** @type {string | undefined} */
let notice

/** Shows the page of the address, or the sign-in page without a session. */
async function showAddress() {
  shown?.abort()
  leaveDialogs()
  const leaving = new AbortController()
  shown = leaving
  const { name, argument } = readAddress(location.hash)
  const link = pick(LINKS, name)
  try {
    if (link !== undefined) return showEntry(link, argument)
    if (isStale) session = undefined
    isStale = false
    session ??= await readSession(leaving.signal)
    const found = pick(PAGES, name) === undefined ? homeOf(session) : name
    showFrame(session, found)
    await showPage(found, argument, session, leaving.signal)
  } catch (error) {
    if (leaving.signal.aborted) return
    if (error instanceof ApiError && error.status === 401) {
      // The first read of a visit finds out whether a session is open; `session_expired` means that there was one.
      if (error.code === 'session_expired') notice = ENDED
      return showEntry(signInPage, '')
    }
    signOut.hidden = false
    showTrouble(error)
  }
}

/**
 * @param {string} name
 * @param {string} argument
 * @param {import('./session.js').Session} caller
 * @param {AbortSignal} signal
 */
async function showPage(name, argument, caller, signal) {
  const page = pick(PAGES, name)
  if (page === undefined) throw new Error(`there is no page ${name}`)
  setTitle(page.title)
  // A page that is shown anew stays until the new one is there, and keeps the focus where it was.
  const isAnew = content.dataset['page'] === name
  const focused = isAnew && content.contains(document.activeElement) ? document.activeElement?.id : undefined
  if (!isAnew) {
    const heading = element('h1', { tabindex: -1 }, page.title)
    content.replaceChildren(heading, element('p', { class: 'empty' }, 'Reading …'))
    content.dataset['page'] = name
    focusOn(heading)
  }
  content.setAttribute('aria-busy', 'true')
  const reload = () => {
    // Once the page is left, another is shown, and perhaps typed into: what was written shows in the next one.
    if (signal.aborted) isStale = true
    else showAnew()
  }
  try {
    const nodes = await page.load({ argument, signal, session: caller, reload, restart: showAnew })
    if (signal.aborted) return
    const hadFocus = isAnew && (focused !== undefined || document.activeElement === document.body)
    fillBelowHeading(nodes)
    if (hadFocus) (document.getElementById(focused ?? '') ?? content.querySelector('h1'))?.focus()
  } finally {
    if (!signal.aborted) content.removeAttribute('aria-busy')
  }
}

/** Reloads the page; the account may have changed. */
function showAnew() {
  session = undefined
  // From now on, not only once the session is read: what is typed meanwhile is lost.
  content.setAttribute('aria-busy', 'true')
  void showAddress()
}

/**
 * Puts a page below its heading, which stays where it is: moving it would take the focus away from it.
 *
 * @param {readonly Node[]} nodes
 */
function fillBelowHeading(nodes) {
  const heading = content.querySelector('h1')
  while (heading?.nextSibling) heading.nextSibling.remove()
  content.append(...nodes)
}

/** @param {unknown} error */
function showTrouble(error) {
  content.removeAttribute('aria-busy')
  if (content.querySelector('h1') === null) content.replaceChildren(element('h1', { tabindex: -1 }, 'svc'))
  const again = element('button', { type: 'button', onclick: showAnew }, 'Try again')
  fillBelowHeading([errorBox(error), again])
}

/**
 * @param {import('./pages/index.js').EntryPage} page
 * @param {string} argument
 */
function showEntry(page, argument) {
  session = undefined
  navigation.hidden = true
  signOut.hidden = true
  tenant.textContent = ''
  content.removeAttribute('aria-busy')
  setTitle(page.title)
  const heading = element('h1', { tabindex: -1 }, page.title)
  delete content.dataset['page']
  content.replaceChildren(heading, ...page.show({ argument, notice, onSignedIn: enter }))
  notice = undefined
  focusOn(heading)
}

/**
 * After signing in: what a mail or another provider added to the address leaves it, so that going back does not offer
 * it again.
 *
 * @param {string} [path] of this page
 */
function enter(path) {
  const asked = location.hash.startsWith('#/') ? `/${location.hash}` : '/#/'
  history.replaceState(null, '', path?.startsWith('/#/') ? path : asked)
  void showAddress()
}

/**
 * @param {import('./session.js').Session} caller
 * @param {string} current
 */
function showFrame({ account, can }, current) {
  navigation.hidden = false
  signOut.hidden = false
  tenant.textContent = account?.name ?? ''
  byId('zone', HTMLElement).textContent = `Times are those of ${shownZone()}.`
  const links = Object.entries(PAGES)
    .filter(([, { within, scope }]) => within === undefined && can(scope))
    .map(([name, { title }]) => {
      const isCurrent = name === current || name === pick(PAGES, current)?.within
      return element('a', { href: `#/${name}`, 'aria-current': isCurrent ? 'page' : undefined }, title)
    })
  navigation.replaceChildren(...links)
  // On narrow screens the bar scrolls, and the current page may lie outside of it.
  navigation.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
}

/**
 * Returns the first page that the caller may see.
 *
 * @param {import('./session.js').Session} caller
 */
function homeOf({ can }) {
  return Object.entries(PAGES).find(([, { within, scope }]) => within === undefined && can(scope))?.[0] ?? 'account'
}

/**
 * @template T
 * @param {Readonly<Record<string, T>>} pages
 * @param {string} name out of an address, so it may be anything
 * @returns {T | undefined}
 */
function pick(pages, name) {
  return Object.hasOwn(pages, name) ? pages[name] : undefined
}

/** @param {string} title */
function setTitle(title) {
  document.title = `${title} · svc`
}

/**
 * Moves the focus to the heading, so that a screen reader announces the page. The browser announces the first page of a
 * visit itself.
 *
 * @param {HTMLElement} heading
 */
function focusOn(heading) {
  if (!isFirst) heading.focus()
  isFirst = false
}

signOut.addEventListener('click', () => {
  call('POST', '/v1/session/logout').then(
    () => {
      session = undefined
      history.replaceState(null, '', '/')
      void showAddress()
    },
    (error) => content.prepend(errorBox(error)),
  )
})
byId('skip', HTMLAnchorElement).addEventListener('click', (event) => {
  // The address belongs to the pages; a skip must not change it.
  event.preventDefault()
  content.focus()
})
addEventListener('hashchange', () => void showAddress())
addEventListener('svc:signed-out', () => {
  if (session === undefined) return
  session = undefined
  notice = ENDED
  void showAddress()
})
document.addEventListener('visibilitychange', () => {
  if (document.hidden || session === undefined) return
  // Another tab may have signed out, or in as another person, meanwhile: this page must not mix the data of two people.
  get('/v1/whoami').then(
    (/** @type {{ tenant_id: string, member_id: string | null }} */ { tenant_id: tenantId, member_id: memberId }) => {
      if (session === undefined || session.tenantId === null) return
      if (session.tenantId !== tenantId || session.memberId !== memberId) showAnew()
    },
    // `get` reports a missing session itself; any other error shows on the next page.
    () => undefined,
  )
})
addEventListener('pageshow', ({ persisted }) => {
  // The browser restored this page from its cache; the session may have ended since.
  if (persisted) showAnew()
})
wireThemeButton(byId('theme', HTMLButtonElement))
// Removes the parameters that a sign-in at a provider adds to the address.
if (location.search.startsWith('?oauth=')) history.replaceState(null, '', `/${location.hash}`)
await showAddress()
