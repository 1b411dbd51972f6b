import { effect, signal } from '@preact/signals'
import { askedPath, readAddress, SIGN_IN_NAME } from '../address.js'
import { earlySession } from './early-session.js'
import { FRONT, LINKS, PAGES, SIGN_IN } from '../pages/index.js'
import { leaveDialogs } from '../parts/dialog/ask.js'
import { removeDrafts } from '../parts/draft/drafts.js'
import { findSession } from '../session.js'
import { isWorkspace, markBusy, reload, version } from './state.js'
/** @typedef {import('../session.js').Session} Session */
/** @typedef {import('../session.js').Door['ways']} Ways */
/**
 * The current view: nothing yet, a page for people who are signed in, one for people who are not, or an error of reading
 * the session.
 *
 * @typedef {{ kind: 'nothing' }
 *   | { kind: 'page', name: string, argument: string, session: Session }
 *   | { kind: 'entry', page: import('../pages/index.js').EntryPage, argument: string, notice: string | undefined,
 *       ways: Ways | undefined, visit: number }
 *   | { kind: 'trouble', error: unknown }} Shown
 */

const ENDED = 'Your session has ended: it was closed, or its time is over. Sign in to go on.'

export const shown = signal(/** @type {Shown} */ ({ kind: 'nothing' }))

/** @type {Session | undefined} */
let session
let early = earlySession
/** @type {AbortController | undefined} */
let reading
/** @type {string | undefined} */
let notice
let isStale = false
let visits = 0

/** Shows the page of the address; without a session, the front page or the sign-in page. */
async function showAddress() {
  reading?.abort()
  const leaving = new AbortController()
  reading = leaving
  const { name, argument } = readAddress(location.hash)
  const link = pick(LINKS, name)
  if (link !== undefined) return showEntry(link, argument)
  const finish = markBusy()
  try {
    if (isStale) session = undefined
    isStale = false
    // Loaded meanwhile, so that the page need not wait for it afterwards.
    const page = pick(PAGES, name) ?? (name === '' ? FRONT : SIGN_IN)
    page.load().catch(() => undefined)
    const found = session ?? (await readSession(leaving.signal))
    if (leaving.signal.aborted) return
    if ('ways' in found) {
      if (found.session === 'ended') notice = ENDED
      return showEntry(isForFront(name, found) ? FRONT : SIGN_IN, '', found.ways)
    }
    session = found
    isWorkspace.value = found.account?.kind === 'anonymous'
    shown.value = {
      kind: 'page',
      name: pick(PAGES, name) === undefined ? homeOf(found) : name,
      argument,
      session: found,
    }
  } catch (error) {
    if (!leaving.signal.aborted) shown.value = { kind: 'trouble', error }
  } finally {
    finish()
  }
}

/**
 * Returns the session that is being read since the page was opened, and reads it again afterwards.
 *
 * @param {AbortSignal} signal
 */
async function readSession(signal) {
  const found = early ?? findSession(signal)
  early = undefined
  return await found
}

/**
 * Whether the front page is shown: to a visitor who asked for no page, where no session or provider is in trouble.
 *
 * @param {string} name
 * @param {import('../session.js').Door} door
 */
function isForFront(name, { ways }) {
  return name === '' && notice === undefined && ways.sign_up && !location.search.includes('oauth_error=')
}

/**
 * @param {import('../pages/index.js').EntryPage} page
 * @param {string} argument
 * @param {Ways} [ways]
 */
function showEntry(page, argument, ways) {
  session = undefined
  leaveDialogs()
  shown.value = { kind: 'entry', page, argument, notice, ways, visit: ++visits }
  notice = undefined
}

/**
 * After signing in: what a mail or another provider added to the address leaves it, so that going back does not offer
 * it again.
 *
 * @param {string} [path] of this page
 */
export function enter(path) {
  const asked = askedPath() ?? '/#/'
  history.replaceState(null, '', path?.startsWith('/#/') ? path : asked)
  void showAddress()
}

/** Forgets the session and what was typed under it, and shows the sign-in page. */
export function leave() {
  session = undefined
  removeDrafts()
  history.replaceState(null, '', `/#/${SIGN_IN_NAME}`)
  void showAddress()
}

/** Reads the session again with the next page: a page that was left has changed something. */
export function markStale() {
  isStale = true
}

/** Reads again whether the session has changed hands, and shows the page again if so. */
export function compareCaller(/** @type {{ tenant_id: string, member_id: string | null }} */ now) {
  if (session === undefined || session.tenantId === null) return
  if (session.tenantId !== now.tenant_id || session.memberId !== now.member_id) reload()
}

/** Whether a session is known. */
export function isSignedIn() {
  return session !== undefined
}

/** Shows the pages of the addresses from now on. */
export function followAddresses() {
  addEventListener('hashchange', () => void showAddress())
  addEventListener('svc:signed-out', () => {
    if (session === undefined) return
    session = undefined
    notice = ENDED
    void showAddress()
  })
  // Runs at once, and then with each reload.
  effect(() => {
    if (version.value > 0) session = undefined
    queueMicrotask(() => void showAddress())
  })
}

/**
 * Returns the first page that the caller may see.
 *
 * @param {Session} caller
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
export function pick(pages, name) {
  return Object.hasOwn(pages, name) ? pages[name] : undefined
}
