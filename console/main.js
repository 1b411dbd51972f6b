import { ApiError, call, get } from './api.js'
import { accountPage } from './pages/account.js'
import { artifactsPage } from './pages/artifacts.js'
import { auditPage } from './pages/audit.js'
import { jobPage } from './pages/job.js'
import { jobsPage } from './pages/jobs.js'
import { keysPage } from './pages/keys.js'
import { sessionsPage } from './pages/sessions.js'
import { signInPage } from './pages/sign-in.js'
import { usagePage } from './pages/usage.js'
import { errorBox } from './parts/dialog.js'
import { byId, element } from './parts/dom.js'
import { wireThemeButton } from './parts/theme-button.js'

/**
 * @typedef {object} PageCall
 * @property {string} argument what follows the page's name in the address
 * @property {AbortSignal} signal aborted when the page is left
 * @property {Account} account the tenant that is signed in
 * @property {() => void} reload shows the page anew
 */
/**
 * @typedef {object} Account
 * @property {string} id
 * @property {string} name
 * @property {string} plan
 * @property {number} quota
 * @property {number} seats
 * @property {number} seats_used
 * @property {string | null} email
 * @property {boolean} email_verified
 * @property {{ used: number, remaining: number, resets_at: string }} period
 * @property {string | null} trial_ends_at
 * @property {string} created_at
 */
/** @typedef {{ title: string, load: (call: PageCall) => Promise<readonly Node[]> }} Page */

/** @type {Readonly<Record<string, Page>>} */
const PAGES = {
  jobs: jobsPage,
  job: jobPage,
  artifacts: artifactsPage,
  usage: usagePage,
  keys: keysPage,
  sessions: sessionsPage,
  audit: auditPage,
  account: accountPage,
}
const IN_NAVIGATION = ['jobs', 'artifacts', 'usage', 'keys', 'sessions', 'audit', 'account']

const content = byId('content', HTMLElement)
const navigation = byId('navigation', HTMLElement)
const signOut = byId('sign-out', HTMLButtonElement)
const tenant = byId('tenant', HTMLElement)

/** @type {AbortController | undefined} */
let shown
let isFirst = true

/** Shows what the address names, or the way in for who is not signed in. */
async function showAddress() {
  shown?.abort()
  const leaving = new AbortController()
  shown = leaving
  const wanted = readAddress()
  try {
    if (wanted.name === 'sign-in') return showSignedOut(wanted.argument)
    const account = await readAccount(leaving.signal)
    if (account === undefined) return showSignedOut(wanted.argument)
    showSignedIn(account, wanted.name)
    const page = PAGES[wanted.name] ?? jobsPage
    setTitle(page.title)
    const heading = element('h1', { tabindex: -1 }, page.title)
    content.setAttribute('aria-busy', 'true')
    content.replaceChildren(heading, element('p', { class: 'empty' }, 'Reading …'))
    focusOn(heading)
    const nodes = await page.load({
      argument: wanted.argument,
      signal: leaving.signal,
      account,
      reload: () => void showAddress(),
    })
    if (!leaving.signal.aborted) fillBelow(heading, nodes)
  } catch (error) {
    if (leaving.signal.aborted) return
    const heading = content.querySelector('h1') ?? element('h1', { tabindex: -1 }, 'svc')
    if (!heading.isConnected) content.replaceChildren(heading)
    fillBelow(heading, [errorBox(error)])
  } finally {
    if (!leaving.signal.aborted) content.removeAttribute('aria-busy')
  }
}

/**
 * Puts a page below its heading, which stays where it is: moving it would take the focus away from it.
 *
 * @param {Element} heading
 * @param {readonly Node[]} nodes
 */
function fillBelow(heading, nodes) {
  while (heading.nextSibling) heading.nextSibling.remove()
  content.append(...nodes)
}

/** The page and its argument: `#/job/cmp_…`, or `#confirm=…` out of a mail. */
function readAddress() {
  const hash = location.hash.slice(1)
  if (/^(confirm|invitation)=/.test(hash)) return { name: 'sign-in', argument: hash }
  const [, name = 'jobs', argument = ''] = hash.split('/')
  return { name: name in PAGES ? name : 'jobs', argument: decodeURIComponent(argument) }
}

/**
 * Who is signed in; undefined when nobody is.
 *
 * @param {AbortSignal} signal
 * @returns {Promise<Account | undefined>}
 */
async function readAccount(signal) {
  try {
    return await get('/v1/account', signal)
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined
    throw error
  }
}

/** @param {string} argument */
function showSignedOut(argument) {
  navigation.hidden = true
  signOut.hidden = true
  tenant.textContent = ''
  setTitle('Sign in')
  const nodes = signInPage({ argument, onSignedIn: () => void enter() })
  content.replaceChildren(...nodes)
  const heading = content.querySelector('h1')
  if (heading instanceof HTMLElement) focusOn(heading)
}

/** After signing in: the mail's token leaves the address, so that going back does not offer it again. */
async function enter() {
  if (!location.hash.startsWith('#/')) history.replaceState(null, '', '/#/jobs')
  await showAddress()
}

/**
 * @param {Account} account
 * @param {string} current
 */
function showSignedIn(account, current) {
  navigation.hidden = false
  signOut.hidden = false
  tenant.textContent = account.name
  const links = IN_NAVIGATION.map((name) =>
    element(
      'a',
      {
        href: `#/${name}`,
        'aria-current': name === current || (name === 'jobs' && current === 'job') ? 'page' : undefined,
      },
      PAGES[name]?.title,
    ),
  )
  navigation.replaceChildren(...links)
  // On narrow screens the bar scrolls, and the current page may lie outside of it.
  navigation.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
}

/** @param {string} title */
function setTitle(title) {
  document.title = `${title} · svc`
}

/**
 * A reader that listens hears what page this is; the first page of a visit is announced by the browser itself.
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
wireThemeButton(byId('theme', HTMLButtonElement))
addEventListener('hashchange', () => void showAddress())
addEventListener('svc:signed-out', () => {
  // The first read of a visit asks whether somebody is signed in; only later answers mean that a session has ended.
  if (!navigation.hidden) void showAddress()
})
await showAddress()
