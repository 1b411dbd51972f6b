import { newId } from '../../../core/kernel/ids.ts'

const ACCEPTED = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{6,62})[A-Za-z0-9]$/

/**
 * The id of a request: the caller's `X-Request-Id` when it has 8 to 64 letters, digits, `.`, `_` and `-` (so that it
 * cannot forge log lines or headers), otherwise a new one.
 */
export function requestIdFrom(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' && ACCEPTED.test(header) ? header : newId('req')
}
