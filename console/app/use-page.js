import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/**
 * Properties of a page.
 *
 * @typedef {object} PageCall
 * @property {string} argument what follows the page's name in the address
 * @property {AbortSignal} signal aborted when the page is left
 * @property {import('../session.js').Session} session
 * @property {() => void} reload reads the page again, with what is known of the account; after the page was left, only
 *   the session, with the next page
 * @property {() => void} restart shows the page of the address for another session, whatever is shown now
 */

export const Page = createContext(/** @type {PageCall | undefined} */ (undefined))

/** Returns the call of the page that the component is on. Throws outside of one. */
export function usePage() {
  const call = useContext(Page)
  if (call === undefined) throw new Error('the component is on no page')
  return call
}
