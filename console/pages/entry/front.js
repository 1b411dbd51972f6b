import { html } from 'htm/preact'
import { Example } from './example/example.js'

/** The front page: the purpose of the service, and a form that tries it on the reader's own rows without an account. */
export function FrontPage() {
  return html`<p class="lead">
      svc learns the rule behind your example rows and turns it into a small signed program that anyone can verify, read
      and run.
    </p>
    <${Example} />
    <p class="quiet">
      No account is needed: your rows go into an anonymous workspace in this browser, which is removed after 30 days
      unless you keep it. <a href="#/sign-in">Sign in or sign up</a>
    </p>`
}
