/** The requested page, to return to after signing in; undefined when there was none. */
export function askedPath() {
  return location.hash.startsWith('#/') ? `/${location.hash}` : undefined
}
