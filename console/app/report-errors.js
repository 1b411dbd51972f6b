/** Reports of one page at most: an error that repeats itself says nothing new. */
const MOST_REPORTS = 5

/** Reports uncaught errors of the page to the service, which stores them without what is secret or personal. */
export function reportErrors() {
  /** @type {Set<string>} */
  const reported = new Set()
  /** @param {{ message: string, source?: string, lineno?: number, colno?: number, stack?: string | undefined }} error */
  const report = ({ message, ...place }) => {
    if (message === '' || reported.has(message) || reported.size === MOST_REPORTS) return
    reported.add(message)
    const path = `${location.pathname}${location.hash.replace(/^#/, '').replace(/\?.*/, '')}`
    fetch('/v1/client-error', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ message: message.slice(0, 1000), ...place, path: path.slice(0, 1000) }),
      // The page may be left meanwhile.
      keepalive: true,
      // A service that cannot be reached takes no reports of it either.
    }).catch(() => undefined)
  }
  addEventListener('error', ({ message, filename, lineno, colno, error }) => {
    report({ message, source: filename, lineno, colno, stack: stackOf(error) })
  })
  addEventListener('unhandledrejection', ({ reason }) => {
    report({
      message: reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason),
      stack: stackOf(reason),
    })
  })
}

/** @param {unknown} error */
function stackOf(error) {
  return error instanceof Error ? error.stack?.slice(0, 4000) : undefined
}
