import { html } from 'htm/preact'
import { call } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { Facts } from '../../parts/facts.js'
import { formatInstant } from '../../parts/format.js'
import { say } from '../../parts/say.js'
import { accountOf } from '../../session.js'
import { ClaimForms } from './claim.js'
import { Deletion } from './deletion.js'
import { SettingsForm } from './settings-form.js'

/** The account: its facts, its settings and its end. */
export function AccountPage() {
  const { session } = usePage()
  const actions = useActions()
  const account = accountOf(session)
  return html`<${Facts}
      facts=${[
        ['Name', account.name],
        ['E-mail', html`<${Address} account=${account} run=${actions.run} />`],
        ['Since', formatInstant(account.created_at)],
        account.expires_at !== null && ['Kept until', formatInstant(account.expires_at)],
        ['Id', html`<code class="long">${account.id}</code>`],
      ]}
    />
    <${ErrorBox} error=${actions.error} />
    <div class="buttons">
      <a class="button" href="#/sessions">Sessions</a>
      ${
        session.can('account:export') &&
        html`<a class="button" href="/v1/account/export" download="">Download all data</a>`
      }
    </div>
    ${account.kind === 'anonymous' && html`<${ClaimForms} />`}
    ${session.can('account:write') && html`<${SettingsForm} />`}
    ${session.can('account:delete') && html`<${Deletion} name=${account.name} />`}`
}

/**
 * Shows the address, with a button that verifies an unverified one.
 *
 * @param {{ account: import('../../session.js').Account, run: (work: () => Promise<unknown>) => void }} props
 */
function Address({ account: { email, email_verified: isVerified }, run }) {
  if (email === null) return 'none'
  if (isVerified) return html`<span class="mail">${email} <${Badge} status="ready" text="verified" /></span>`
  const send = async () => {
    await call('POST', '/v1/account/email/verify')
    say(`A mail is on its way to ${email}.`)
  }
  return html`<span class="mail">
    ${email} <button type="button" class="small" onClick=${() => run(send)}>Verify</button>
  </span>`
}
