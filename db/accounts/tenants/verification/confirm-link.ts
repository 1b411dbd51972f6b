/**
 * Returns the link of a mail with a token. The token is in the fragment, which servers and mail scanners do not see;
 * the page asks before it sends it, so opening the link does not use it up.
 */
export function confirmLink(publicUrl: string, token: string): string {
  return `${publicUrl}/#confirm=${token}`
}
