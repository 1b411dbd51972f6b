/**
 * Returns a key for one attempt: calls that repeat it are answered once. `crypto.randomUUID` is missing over plain http.
 */
export function newAttempt() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
