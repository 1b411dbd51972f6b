import { html } from 'htm/preact'
import { useMemo } from 'preact/hooks'
import { call } from '../../api.js'
import { showKey } from '../../parts/dialog/ask.js'
import { ErrorBox } from '../../parts/error.js'
import { Field } from '../../parts/form/field.js'
import { Form } from '../../parts/form/form.js'
import { textIn } from '../../parts/form/text-in.js'
import { MailForm } from './mail-form.js'
import { Organisation, Providers } from './providers.js'
/** @typedef {import('../index.js').EntryCall} EntryCall */

const REFUSALS = /** @type {Readonly<Record<string, string>>} */ ({
  oauth_not_configured: 'That way of signing in is not configured here.',
  email_unverified: 'The provider has not verified your address.',
  signup_disabled: 'New accounts are by invitation only here.',
  account_link_required:
    'That address belongs to an account that another sign-in opened. Use that one, or a link by mail.',
  sso_tenant_not_resolved: 'No organisation has that name.',
  sso_not_configured: 'That organisation has set up no sign-in of its own.',
  enterprise_only: 'The plan of that organisation has no sign-in of its own.',
  identity_provider_failed: 'The provider does not answer. Try again later.',
  seat_limit: 'All seats of that organisation are taken.',
  forbidden: 'You may not sign in there.',
})

/**
 * The ways to sign in, and to sign up.
 *
 * @param {EntryCall} props
 */
export function SignInPage({ notice, ways, onSignedIn }) {
  const refusal = useMemo(readRefusal, [])
  const { mail = false, providers = [], sso = false, sign_up: isOpen = false } = ways ?? {}
  return html`${notice !== undefined && html`<p class="notice" role="alert">${notice}</p>`}
    <${ErrorBox} error=${refusal} />
    <div class="ways">
      <${KeyForm} onSignedIn=${onSignedIn} />
      ${mail && html`<${MailForm} />`} ${isOpen && html`<${SignUpForm} onSignedIn=${onSignedIn} />`}
    </div>
    <${Providers} providers=${providers} />
    ${sso && html`<${Organisation} />`}
    ${!isOpen && html`<p class="quiet">New accounts are by invitation only here.</p>`}`
}

/** Returns why a sign-in at a provider failed, which the address says, and takes it out of the address. */
function readRefusal() {
  const code = new URLSearchParams(location.search).get('oauth_error')
  if (code === null) return undefined
  history.replaceState(null, '', `/${location.hash}`)
  const known = Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined
  return new Error(known ?? `Signing in there did not work (${code}). Try again.`)
}

/** @param {Pick<EntryCall, 'onSignedIn'>} props */
function KeyForm({ onSignedIn }) {
  const signIn = async (/** @type {FormData} */ data) => {
    await call('POST', '/v1/signin', { api_key: textIn(data, 'api_key') })
    onSignedIn()
  }
  return html`<${Form} title="With a key" action="Sign in" perform=${signIn}>
    <${Field}
      label="API key"
      name="api_key"
      type="password"
      required
      autocomplete="current-password"
      spellcheck="false"
      hint="It begins with ks_ or kao_, and was shown once."
    />
  <//>`
}

/** @param {Pick<EntryCall, 'onSignedIn'>} props */
function SignUpForm({ onSignedIn }) {
  const signUp = async (/** @type {FormData} */ data) => {
    const name = textIn(data, 'new-name')
    /** @type {{ api_key: string }} */
    const made = await call('POST', '/v1/signup', { email: data.get('new-email'), ...(name && { name }) })
    await showKey('Your API key', made.api_key)
    await call('POST', '/v1/signin', { api_key: made.api_key })
    onSignedIn()
  }
  return html`<${Form} title="New here" action="Create an account" perform=${signUp}>
    <${Field} label="E-mail" name="new-email" of="email" type="email" required autocomplete="email" />
    <${Field}
      label="Name"
      name="new-name"
      of="name"
      maxlength="100"
      autocomplete="organization"
      hint="Your name or your company’s. Optional."
    />
  <//>`
}
