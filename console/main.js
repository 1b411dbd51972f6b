import { html, render } from 'htm/preact'
import { get } from './api.js'
import { App } from './app/app.js'
import { reportErrors } from './app/report-errors.js'
import { compareCaller, followAddresses, isSignedIn } from './app/router.js'
import { reload } from './app/state.js'

reportErrors()
const root = document.getElementById('app')
if (root === null) throw new Error('the page has no place for the console')

document.addEventListener('visibilitychange', () => {
  if (document.hidden || !isSignedIn()) return
  // Another tab may have signed out, or in as another person, meanwhile: this page must not mix the data of two people.
  // `get` reports a missing session itself; any other error shows on the next page.
  get('/v1/whoami').then(compareCaller, () => undefined)
})
addEventListener('pageshow', ({ persisted }) => {
  // The browser restored this page from its cache; the session may have ended since.
  if (persisted) reload()
})
// Removes the parameters that a sign-in at a provider adds to the address.
if (location.search.startsWith('?oauth=')) history.replaceState(null, '', `/${location.hash}`)
root.replaceChildren()
render(html`<${App} />`, root)
followAddresses()
