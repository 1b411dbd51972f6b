import { html } from 'htm/preact'
import { formatDay } from '../parts/format.js'

/**
 * Says that the workspace has no account, until when it is kept, and how to keep it.
 *
 * @param {{ session: import('../session.js').Session }} props
 */
export function WorkspaceNote({ session: { account } }) {
  if (account?.kind !== 'anonymous' || account.expires_at === null) return null
  return html`<aside class="strip" aria-label="Anonymous workspace">
    <span>This workspace has no account. It is kept until ${formatDay(account.expires_at)}.</span>
    <a class="button small" href="#/account">Make an account</a>
  </aside>`
}
