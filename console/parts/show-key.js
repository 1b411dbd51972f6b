import { showOnce } from './dialog.js'

/**
 * Shows a key that was just made. Resolves when it is kept.
 *
 * @param {string} title
 * @param {string} key
 * @param {string} [before] what else is to be known
 */
export async function showKey(title, key, before = '') {
  const keep = 'Keep it now: only a hash of it is stored, and it is never shown again.'
  await showOnce({ title, secret: key, note: `${before} ${keep}`.trim() })
}
