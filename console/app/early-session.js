import { readAddress } from '../address.js'
import { LINKS } from '../pages/index.js'
import { findSession } from '../session.js'

/**
 * The session, read while the browser still loads the other modules; undefined at a mailed link, whose page reads none.
 */
export const earlySession = Object.hasOwn(LINKS, readAddress(location.hash).name)
  ? undefined
  : findSession(new AbortController().signal)
// The router shows its error.
earlySession?.catch(() => undefined)
