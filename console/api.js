/** An error answer of the service. */
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

/** Codes for a missing or ended session. */
const SIGNED_OUT = new Set(['session_expired', 'missing_credential'])

/**
 * Calls the service with the session cookie and returns its document. Throws `ApiError` when the service refuses the
 * call, cannot be reached, or breaks its answer off. A missing or ended session also dispatches the event
 * `svc:signed-out`.
 *
 * @template T
 * @param {'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} method
 * @param {string} path
 * @param {object} [body] sent as JSON; a form with files as it is
 * @param {{ signal?: AbortSignal, headers?: Record<string, string> }} [options]
 * @returns {Promise<T>}
 */
export async function call(method, path, body, options = {}) {
  const response = await open(method, path, body, options)
  const document = readJson(await response.text().catch(unreached(options.signal)))
  if (document === undefined) throw new ApiError(response.status, {})
  return document
}

/**
 * The same for an answer that is read as it comes: returns it once its head is here.
 *
 * @param {'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} method
 * @param {string} path
 * @param {object} [body]
 * @param {{ signal?: AbortSignal, headers?: Record<string, string> }} [options]
 */
export async function open(method, path, body, { signal, headers } = {}) {
  const isForm = body instanceof FormData
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: { Accept: 'application/json', ...(body && !isForm && { 'Content-Type': 'application/json' }), ...headers },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch(unreached(signal))
  if (response.ok) return response
  const error = new ApiError(response.status, readJson(await response.text().catch(unreached(signal))) ?? {})
  if (SIGNED_OUT.has(error.code)) dispatchEvent(new CustomEvent('svc:signed-out'))
  throw error
}

/**
 * @param {AbortSignal | undefined} signal
 * @returns {(error: unknown) => never}
 */
function unreached(signal) {
  return (error) => {
    if (signal?.aborted) throw error
    throw new ApiError(0, { error: 'the service cannot be reached', code: 'unreachable' })
  }
}

/** @param {string} text */
function readJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    // A proxy's page, or half of an answer: the status says what it is worth.
    return undefined
  }
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
  return await call('GET', path, undefined, signal && { signal })
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
