/** What went wrong, as the service says it. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {{ error?: string, code?: string, request_id?: string, details?: Record<string, unknown> }} envelope
   */
  constructor(status, envelope) {
    super(envelope.error ?? `the service answered ${status}`)
    this.status = status
    this.code = envelope.code ?? 'unknown'
    this.requestId = envelope.request_id
    this.details = envelope.details ?? {}
  }
}

/**
 * Calls the service with the session cookie and answers its document. Throws `ApiError` for what it refuses, also
 * when it cannot be reached; a session that has ended is told to the page as the event `svc:signed-out`.
 *
 * @template T
 * @param {'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} method
 * @param {string} path
 * @param {object} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function call(method, path, body, signal) {
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error) => {
    if (signal?.aborted) throw error
    throw new ApiError(0, { error: 'the service cannot be reached', code: 'unreachable' })
  })
  const document = await response.json().catch(() => ({}))
  if (response.ok) return document
  const error = new ApiError(response.status, document)
  if (error.code === 'session_expired' || error.code === 'missing_credential') {
    dispatchEvent(new CustomEvent('svc:signed-out'))
  }
  throw error
}

/**
 * The same for a document that is only read.
 *
 * @template T
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function get(path, signal) {
  return await call('GET', path, undefined, signal)
}

/**
 * A path with a query; parameters without a value are left out.
 *
 * @param {string} path
 * @param {Record<string, string | number | undefined>} query
 */
export function withQuery(path, query) {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}
