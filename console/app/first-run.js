import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { get } from '../api.js'
import { useRead } from '../parts/read/use-read.js'
/** @typedef {import('../session.js').Account} Account */

/** Accounts older than this are no beginners, milliseconds. */
const NEW_MS = 30 * 86_400_000
/** Pages of compiles and artifacts; elsewhere the steps would only be in the way. */
const PAGES = new Set(['jobs', 'job', 'compile', 'artifacts', 'artifact'])

/**
 * The first three steps of a new account, done as far as the account has something to show for them. Gone when all are
 * done, or when the person has dismissed them in this browser.
 *
 * @param {{ session: import('../session.js').Session, page: string }} props
 */
export function FirstRun({ session: { account, can }, page }) {
  const mayDo = can('compile:write') && can('run') && can('artifacts:export')
  const isNew = account !== null && Date.now() - Date.parse(account.created_at) < NEW_MS
  if (!isNew || !mayDo || !PAGES.has(page)) return null
  return html`<${Steps} key=${account.id} account=${account} page=${page} />`
}

/** @param {{ account: Account, page: string }} props */
function Steps({ account, page }) {
  const { id } = account
  const [isDismissed, setIsDismissed] = useState(() => wasDismissed(id))
  const { data: done } = useRead(
    async (signal) => (isDismissed ? undefined : await readDone(account, signal)),
    [page, isDismissed],
  )
  if (isDismissed || done === undefined || (done.hasCompiled && done.hasRun && done.hasShared)) return null
  const artifact = done.artifactId === undefined ? '#/artifacts' : `#/artifact/${done.artifactId}`
  const dismiss = () => {
    rememberDismissal(id)
    setIsDismissed(true)
  }
  return html`<nav class="strip steps" aria-label="First steps">
    <ol>
      <${Step} isDone=${done.hasCompiled} href="#/compile" text="Compile your examples" />
      <${Step} isDone=${done.hasRun} href=${artifact} text="Run the artifact on a file" />
      <${Step} isDone=${done.hasShared} href=${artifact} text="Share it by a link" />
    </ol>
    <button type="button" class="small" onClick=${dismiss}>Dismiss</button>
  </nav>`
}

/** @param {{ isDone: boolean, href: string, text: string }} props */
function Step({ isDone, href, text }) {
  return isDone
    ? html`<li data-done><span class="unseen">Done: </span>${text}</li>`
    : html`<li><a href=${href}>${text}</a></li>`
}

/**
 * Reads which steps are done: by the newest artifact, the calls, and the newest share link.
 *
 * @param {Account} known the account, as it was when the session was read
 * @param {AbortSignal} signal
 */
async function readDone(known, signal) {
  /** @type {[Account, { artifacts: readonly { id: string }[] }, { share_links: readonly unknown[] }]} */
  const [account, { artifacts }, { share_links: links }] = await Promise.all([
    known.usage.calls_30d > 0 ? known : get('/v1/account', signal),
    get('/v1/artifacts?limit=1', signal),
    get('/v1/share-links?limit=1', signal),
  ])
  return {
    hasCompiled: artifacts.length > 0,
    hasRun: account.usage.calls_30d > 0,
    hasShared: links.length > 0,
    artifactId: artifacts[0]?.id,
  }
}

/** @param {string} id */
function nameOf(id) {
  return `svc-first-run:${id}`
}

/** @param {string} id */
function wasDismissed(id) {
  try {
    return localStorage.getItem(nameOf(id)) !== null
  } catch {
    return false
  }
}

/** @param {string} id */
function rememberDismissal(id) {
  try {
    localStorage.setItem(nameOf(id), 'dismissed')
  } catch {
    // A browser that keeps nothing shows the steps again on the next visit.
  }
}
