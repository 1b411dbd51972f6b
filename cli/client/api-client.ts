import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { ErrorBody, GatewayErrorBody } from '../../core/kernel/wire/errors.ts'
import { CliError } from '../cli-error.ts'
import { encodeForm } from './multipart.ts'
import { EXIT } from '../exit-codes.ts'
import { checkAnswer } from './check-answer.ts'
import { ERROR_CODES } from '../../core/errors.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 8000
/** Retry time of a repeatable call once the server has answered: it may be restarting. */
const PATIENCE_MS = 60_000
/** Retry time before its first answer: most likely no server runs there. */
const FIRST_PATIENCE_MS = 3000

/** A call to the API. */
export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly json?: unknown
  /** A body that is not JSON; created again for each attempt. */
  readonly body?: () => Promise<FormData>
  /** A body of bytes as they are. */
  readonly bytes?: Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
  /** Makes a POST safe to repeat after a lost connection. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

/** The API of one server, with one key. */
export interface ApiClient {
  readonly url: string
  /** Calls and checks the answer. Throws `CliError` with the server's code, or `unreachable`. */
  call<S extends z.ZodType>(path: string, answer: S, call?: ApiCall): Promise<z.input<S>>
  /** Calls and gives the answer as it comes. Throws the same. */
  open(path: string, call?: ApiCall): Promise<Response>
}

/**
 * Creates a client of the server at `url`. Reads, and writes with an idempotency key, are repeated while the server
 * does not answer.
 */
export function createApiClient(options: { readonly url: string; readonly apiKey: string | undefined }): ApiClient {
  let hasAnswered = false
  const open = async (path: string, call: ApiCall = {}): Promise<Response> => {
    const startedAt = Date.now()
    const mayRepeat = (call.method ?? 'GET') === 'GET' || call.idempotencyKey !== undefined
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const failure = await attempt(options, path, call)
      hasAnswered ||= failure instanceof Response || failure.error.code !== 'unreachable'
      if (failure instanceof Response) return failure
      const deadline = startedAt + (hasAnswered ? PATIENCE_MS : FIRST_PATIENCE_MS)
      if (!mayRepeat || !failure.isTransient || Date.now() + pauseMs > deadline) throw failure.error
      await sleep(failure.pauseMs ?? pauseMs, undefined, call.signal === undefined ? {} : { signal: call.signal })
    }
  }
  return {
    url: options.url,
    open,
    call: async (path, answer, call) => await readAnswer(await open(path, call), answer),
  }
}

/** Returns the body of an answer, checked by `checkAnswer`. Throws its errors. */
export async function readAnswer<S extends z.ZodType>(response: Response, answer: S): Promise<z.input<S>> {
  return checkAnswer(await response.json().catch(() => undefined), answer, response.url)
}

interface Failure {
  readonly error: CliError
  readonly isTransient: boolean
  readonly pauseMs?: number
}

async function attempt(
  { url, apiKey }: { readonly url: string; readonly apiKey: string | undefined },
  path: string,
  call: ApiCall,
): Promise<Response | Failure> {
  const headers = new Headers(call.headers)
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
  if (call.idempotencyKey !== undefined) headers.set('idempotency-key', call.idempotencyKey)
  if (call.json !== undefined) headers.set('content-type', 'application/json')
  const given = await call.body?.()
  const form = given && encodeForm(given)
  if (form !== undefined) {
    headers.set('content-type', form.contentType)
    headers.set('content-length', String(form.sizeBytes))
  }
  if (call.bytes !== undefined) headers.set('content-type', 'application/octet-stream')
  const body = call.json !== undefined ? JSON.stringify(call.json) : (call.bytes ?? form?.body)
  try {
    const response = await fetch(`${url}${path}`, {
      method: call.method ?? 'GET',
      headers,
      redirect: 'error',
      ...(body !== undefined && { body }),
      ...(form !== undefined && { duplex: 'half' }),
      ...(call.signal !== undefined && { signal: call.signal }),
    })
    return response.ok ? response : await failureOf(response)
  } catch (error) {
    if (call.signal?.aborted === true) throw error
    // The cause holds the connection's error (no such host, refused, reset).
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    const message = `cannot reach ${url}: ${cause}\n  Is it running? Start it with npm start, or choose another with --url or SVC_URL.`
    return {
      error: new CliError(message, { exitCode: EXIT.unreachable, code: 'unreachable', cause: error }),
      isTransient: true,
    }
  }
}

type ErrorFacts = Pick<z.output<typeof ErrorBody>, 'error' | 'code' | 'details'>

async function failureOf(response: Response): Promise<Failure> {
  const text = await response.text()
  const retryAfterS = Number(response.headers.get('retry-after') ?? Number.NaN)
  const data = errorOf(parseJson(text))
  const isDenied = response.status === 401 || response.status === 403
  const error = new CliError(data?.error ?? `the server answered ${response.status}`, {
    exitCode: isDenied ? EXIT.denied : response.status === 400 ? EXIT.usage : EXIT.failed,
    code: data?.code ?? `http_${response.status}`,
    details: data?.details,
  })
  const isFinal = Object.entries(ERROR_CODES).some(([code, { retryable }]) => code === data?.code && !retryable)
  const isTransient = ([502, 503, 504].includes(response.status) && !isFinal) || data?.code === 'request_in_progress'
  return { error, isTransient, ...(retryAfterS > 0 && { pauseMs: Math.min(retryAfterS * 1000, LONGEST_PAUSE_MS) }) }
}

/** The error of an answer: of the service, or of the gateway, which answers in the form of its providers. */
function errorOf(body: unknown): ErrorFacts | undefined {
  const own = ErrorBody.safeParse(body)
  if (own.success) return own.data
  const { data } = GatewayErrorBody.safeParse(body)
  return data && { error: data.error.message, code: data.code }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
