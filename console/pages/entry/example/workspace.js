import { call, get } from '../../../api.js'
import { isWorkspace } from '../../../app/state.js'

/**
 * Opens an anonymous workspace in this browser, unless one is open or a person is signed in. Its token goes into the
 * session cookie, which scripts cannot read, and is kept nowhere else.
 */
export async function openWorkspace() {
  /** @type {import('../../../session.js').Door} */
  const { session } = await get('/v1/session')
  if (session === 'open') return
  /** @type {{ anon_token: string }} */
  const { anon_token: token } = await call('POST', '/v1/anon/bootstrap', {})
  await call('POST', '/v1/signin', { api_key: token })
  isWorkspace.value = true
}
