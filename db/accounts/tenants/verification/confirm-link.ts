/**
 * The link of a mail that holds a token. The token stands in the fragment, which no server and no scanner of mails gets
 * to see; the page asks before it sends it, so looking at the link uses nothing up.
 */
export function confirmLink(publicUrl: string, token: string): string {
  return `${publicUrl}/#confirm=${token}`
}
