import { errorOf, type SvcError, UnreachableError } from './errors.ts'

/** Bounds on repetitions of a call. */
export interface RetryOptions {
  /** Repetitions after the first attempt. */
  readonly retries: number
  /** Longest pause between two attempts, milliseconds. */
  readonly maxPauseMs: number
}

const FIRST_PAUSE_MS = 250
/** Answers after which something may have been done. */
const UNCERTAIN = new Set([0, 500, 502, 503, 504])

/**
 * Makes a `fetch` that throws `SvcError` for answers that are not 2xx and for lost connections. Reads, and writes with an
 * `Idempotency-Key`, are repeated; other writes only when the service says that it did nothing. `Retry-After` is kept.
 */
export function createRetryingFetch({ retries, maxPauseMs }: RetryOptions): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const mayRepeat = request.method === 'GET' || request.headers.has('idempotency-key')
    for (let attempt = 0; ; attempt++) {
      const outcome = await tryOnce(request.clone())
      if (outcome instanceof Response) return outcome
      const isTransient = isRefused(outcome) || (mayRepeat && UNCERTAIN.has(outcome.status))
      const pauseMs = outcome.retryAfterS === undefined ? FIRST_PAUSE_MS * 2 ** attempt : outcome.retryAfterS * 1000
      if (!isTransient || attempt >= retries || pauseMs > maxPauseMs) throw outcome
      await pause(pauseMs, request.signal)
    }
  }
}

/** True for an answer that says that nothing was done: a rate limit, or the service's own word that it is busy. */
function isRefused({ status, code }: SvcError): boolean {
  return status === 429 || (status === 503 && code === 'busy')
}

async function tryOnce(request: Request): Promise<Response | SvcError> {
  try {
    const response = await fetch(request)
    return response.ok ? response : await errorOf(response)
  } catch (error) {
    if (request.signal.aborted) throw error
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    const message = `cannot reach ${new URL(request.url).origin}: ${cause}`
    return new UnreachableError(message, { code: 'unreachable', status: 0 }, { cause: error })
  }
}

/** Waits, or rejects with the reason of the signal. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
