import { showOnce } from './dialog.js'

/**
 * Shows a new key. Resolves when the person has confirmed that it is stored.
 *
 * @param {string} title
 * @param {string} key
 * @param {string} [before] what else is to be known
 */
export async function showKey(title, key, before = '') {
  const keep = 'Keep it now: only a hash of it is stored, and it is never shown again.'
  await showOnce({ title, secret: key, note: `${before} ${keep}`.trim() })
}
