import { pino, type DestinationStream, type Logger } from 'pino'

export type { Logger }

/** Fields that never reach a log, at the top of a record and one or two objects down. */
const SECRET_FIELDS = [
  'apiKey',
  'api_key',
  'authorization',
  'cookie',
  'cookies',
  'hmac',
  'masterKey',
  'password',
  'privateKey',
  'private_key',
  'secret',
  'secrets',
  'sessionToken',
  'set-cookie',
  'token',
  'x-api-key',
] as const

/** Customer data: read from Postgres where it is needed, never logged. */
const PRIVATE_FIELDS = ['examples', 'input', 'output', 'prompt', 'task'] as const

const redacted = [...SECRET_FIELDS, ...PRIVATE_FIELDS].flatMap((field) => {
  const key = /^\w+$/.test(field) ? `.${field}` : `["${field}"]`
  return [key.replace(/^\./, ''), `*${key}`, `*.*${key}`]
})

/** A key of a tenant, a workspace or an identity provider in a text, for instance in an error message or an address. */
const KEY_IN_TEXT = /\b(ks|kao|scim)_([0-9a-z]{4})[0-9a-z]*_[0-9A-Za-z]+/g
const PASSWORD_IN_URL = /(\w+:\/\/[^\s:/@]+):[^\s@]+@/g

/** Hides keys and passwords inside a text. */
export function redactText(text: string): string {
  return text.replace(KEY_IN_TEXT, '$1_$2…').replace(PASSWORD_IN_URL, '$1:…@')
}

/** Options of a logger: `name` is the process's part (`api`, `worker`), `level` one of pino's levels. */
export interface LoggerOptions {
  readonly name: string
  readonly level: string
  /** Destination of the lines; standard output when absent. */
  readonly destination?: DestinationStream
}

/**
 * Creates a logger that writes one JSON object per line. Keys, cookies, authorization headers, secrets and customer
 * data are replaced by `[redacted]`; keys and passwords inside messages are cut.
 */
export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    name: options.name,
    level: options.level,
    base: { name: options.name, pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redacted, censor: '[redacted]' },
    serializers: { err: describeError, error: describeError },
    hooks: {
      logMethod(this: Logger, args: Parameters<Logger['info']>, method: (...args: Parameters<Logger['info']>) => void) {
        method.apply(this, args.map((arg: unknown) => (typeof arg === 'string' ? redactText(arg) : arg)) as typeof args)
      },
    },
  }
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination)
}

interface LoggedError {
  readonly type: string
  readonly message: string
  readonly code?: unknown
  readonly stack?: string
  readonly cause?: LoggedError
}

/** Returns the loggable form of an error: without the rows, parameters or bodies that drivers attach. */
function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: redactText(String(error)) }
  return {
    type: error.name,
    message: redactText(error.message),
    ...('code' in error ? { code: error.code } : {}),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(error.cause === undefined || depth === 3 ? {} : { cause: describeError(error.cause, depth + 1) }),
  }
}
