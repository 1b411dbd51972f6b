import { ApiError, get } from './api.js'
import { chooseFormats } from './parts/format.js'

/** @typedef {import('zod').output<typeof import('../core/overview/wire/account/account.ts').GetAccountAnswer>} Account */
/**
 * The signed-in caller. A scoped key may be unable to read its own account; then `account` is null, and an action that
 * it may not do fails when it is tried.
 *
 * @typedef {object} Session
 * @property {Account | null} account
 * @property {string | null} tenantId
 * @property {string | null} memberId
 * @property {(scope: string) => boolean} can
 */

/**
 * The choices of a person who is not signed in.
 *
 * @typedef {import('zod').output<typeof import('../core/accounts/wire/identity/sessions.ts').FindSessionAnswer>} Door
 */

/**
 * Reads whether a session is open, and the ways to sign in.
 *
 * @param {AbortSignal} signal
 * @returns {Promise<Door>}
 */
export async function readDoor(signal) {
  return await get('/v1/session', signal)
}

/**
 * Reads the session; without an open one, the ways to sign in.
 *
 * @param {AbortSignal} signal
 * @returns {Promise<Session | Door>}
 */
export async function findSession(signal) {
  const door = await readDoor(signal)
  if (door.session !== 'open') return door
  try {
    return await readCaller(signal)
  } catch (error) {
    // It ended between the two calls.
    if (error instanceof ApiError && error.status === 401) return { ...door, session: 'ended' }
    throw error
  }
}

/**
 * Reads the signed-in person, and applies the tenant's time zone and language. Throws `ApiError`, with the status 401
 * without a session.
 *
 * @param {AbortSignal} signal
 * @returns {Promise<Session>}
 */
async function readCaller(signal) {
  try {
    /**
     * @type {[Account, { member_id: string | null, scopes: readonly string[] },
     *   { settings: Chosen, defaults: Chosen }]}
     */
    const [account, caller, { settings, defaults }] = await Promise.all([
      get('/v1/account', signal),
      get('/v1/whoami', signal),
      get('/v1/account/settings', signal),
    ])
    // A tenant that chose nothing leaves it to each reader's browser.
    chooseFormats({
      locale: settings.locale === defaults.locale ? undefined : settings.locale,
      timeZone: settings.timezone === defaults.timezone ? undefined : settings.timezone,
    })
    return { account, tenantId: account.id, memberId: caller.member_id, can: (scope) => grants(caller.scopes, scope) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'insufficient_scope') throw error
    chooseFormats({})
    return { account: null, tenantId: null, memberId: null, can: () => true }
  }
}
/** @typedef {{ locale: string, timezone: string }} Chosen */

/**
 * @param {readonly string[]} held exact names, families (`compile:*`), or everything (`*`)
 * @param {string} scope
 */
function grants(held, scope) {
  return held.some((own) => own === '*' || own === scope || (own.endsWith(':*') && scope.startsWith(own.slice(0, -1))))
}

/**
 * The account, for pages that are about it.
 *
 * @param {Session} session
 */
export function accountOf({ account }) {
  if (account !== null) return account
  throw new Error('Your key lacks the scope account:read.')
}
