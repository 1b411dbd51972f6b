import { loadEnvironment } from '../../config/environment.ts'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { startServer, type RunningServer, type ServerOptions } from '../../api/server.ts'
import type { OverviewSettings } from '../../api/overview/services.ts'
import { DEFAULT_LIMITS, type Limits } from '../../core/limits.ts'
import type { Logger } from '../../config/logger.ts'
import { testLog } from './workflows/quiet-runtime.ts'
import { useDatabase, type TestDatabase } from './stack/postgres.ts'

/** One answer of the API, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly bytes: Buffer
  /** The JSON body; an object without members when it is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any
}

/** The parts of a call beside method and path. */
export interface CallOptions {
  readonly key?: string | undefined
  readonly body?: unknown
  /** The body as it is, in place of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer> | FormData
  readonly headers?: Readonly<Record<string, string>>
}

/** A server of the real application on a port of its own. */
export interface TestApi {
  readonly url: string
  readonly server: RunningServer
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Ends the server and starts it again on the same port and stores. */
  restart(): Promise<void>
}

/** A server and the stores behind it, whichever process it runs in. */
export interface OpenedApi extends Pick<TestApi, 'call'> {
  readonly server: { readonly services: Pick<RunningServer['services'], 'db' | 'signingKeys'> }
}

/** Where a test server gets its stores from. */
export interface TestStores {
  readonly database: Pick<TestDatabase, 'url' | 'masterKey'>
  readonly temporal: { readonly address: string; readonly namespace: string; readonly codecKey?: Uint8Array }
}

/** An address without a server, for tests that need no workflow and for those of an engine that is away. */
export const NO_TEMPORAL = { address: '127.0.0.1:1', namespace: 'none' } as const

/** Limits under which tests from one address do not get into each other's way. */
export const TEST_LIMITS: Limits = {
  ...DEFAULT_LIMITS,
  signups_per_ip_day: 100_000,
  signins_per_ip_5min: 100_000,
  previews_per_ip_minute: 100_000,
  failed_keys_per_ip_minute: 100_000,
}

/** Opens the admin routes of a test server. */
export const ADMIN_KEY = 'admin-key-of-the-tests'

/** Options of the server of a test. */
export interface TestApiOptions {
  readonly limits?: Partial<Limits>
  readonly settings?: Partial<OverviewSettings>
  readonly now?: () => Date
  /** Takes the lines of the log; that of the test process when absent. */
  readonly log?: Logger
  /** The stores, once the suite runs; a database of its own and no Temporal when absent. */
  readonly stores?: () => TestStores
}

/** Starts a server for the surrounding suite and stops it after it. */
export function useApi(options: TestApiOptions = {}): TestApi {
  const own = options.stores === undefined ? useDatabase() : undefined
  let running: RunningServer | undefined
  let started: ServerOptions | undefined
  before(async () => {
    const stores = options.stores?.() ?? { database: own, temporal: NO_TEMPORAL }
    if (stores.database === undefined) throw new Error('no database')
    started = serverOptions(options, { database: stores.database, temporal: stores.temporal })
    running = await startServer(started)
  })
  after(async () => {
    await running?.stop()
  })
  const current = (): RunningServer => {
    if (running === undefined) throw new Error('the server is there once the tests run')
    return running
  }
  return {
    get url() {
      return current().url
    },
    get server() {
      return current()
    },
    call: async (method, path, callOptions) => await call(current().url, method, path, callOptions),
    async restart() {
      const port = Number(new URL(current().url).port)
      await current().stop()
      if (started === undefined) throw new Error('the server was never started')
      running = await startServer({ ...started, port })
    },
  }
}

/** Options of a server over these stores, on a free port. */
export function serverOptions(options: TestApiOptions, stores: TestStores): ServerOptions {
  return {
    host: '127.0.0.1',
    port: 0,
    databaseUrl: stores.database.url,
    temporal: { codecKey: undefined, ...stores.temporal },
    settings: {
      region: 'test',
      version: '0.0.0',
      git: 'unknown',
      publicUrl: undefined,
      isProduction: false,
      isInviteOnly: false,
      trustedProxyHops: 0,
      metricsToken: undefined,
      masterKey: stores.database.masterKey,
      oldMasterKeys: [],
      adminKey: ADMIN_KEY,
      adminTenants: new Set(),
      oauth: {},
      upstreams: {},
      gatewayMode: 'cloud',
      isMailConfigured: false,
      allowsPrivateEgress: true,
      baseFolders: [],
      rentals: loadEnvironment({}).rentals,
      storage: {
        spoolDir: join(tmpdir(), `svc-test-spool-${process.getuid?.() ?? 0}`),
        captureDir: join(tmpdir(), `svc-test-captures-${process.getuid?.() ?? 0}`),
      },
      ...options.settings,
    },
    limits: { ...TEST_LIMITS, ...options.limits },
    log: options.log ?? testLog(),
    ...(options.now && { now: options.now }),
  }
}

/** Calls a server and reads the answer. */
export async function call(url: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { body, raw } = options
  const isJson = body !== undefined || typeof raw === 'string'
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(isJson && { 'content-type': 'application/json' }),
      ...(options.key !== undefined && { 'x-api-key': options.key }),
      ...options.headers,
    },
    ...(raw !== undefined ? { body: raw } : body !== undefined && { body: JSON.stringify(body) }),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = bytes.toString('utf8')
  return { status: response.status, headers: response.headers, text, bytes, body: parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** A tenant of the test's own. */
export interface ApiTenant {
  readonly id: string
  readonly key: string
}

/** Signs a new tenant up. */
export async function givenApiTenant(api: Pick<TestApi, 'call'>): Promise<ApiTenant> {
  const answer = await api.call('POST', '/v1/signup', {
    body: { email: `${randomBytes(8).toString('hex')}@example.test`, name: 'Given tenant' },
  })
  if (answer.status !== 201) throw new Error(`sign-up answered ${answer.status}: ${answer.text}`)
  return { id: answer.body.tenant.id, key: answer.body.api_key }
}

/** One event of a stream. */
export interface ReadEvent {
  readonly id: number
  readonly event: string
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies differ by event
  readonly data: any
}

/** Reads a stream of server-sent events until it ends, or until `enough` says so. */
export async function readEvents(
  url: string,
  path: string,
  options: {
    readonly key: string
    readonly headers?: Record<string, string>
    readonly enough?: (seen: readonly ReadEvent[]) => boolean
    /** Called when the stream is open. */
    readonly onOpen?: () => void
  },
): Promise<{ readonly status: number; readonly events: readonly ReadEvent[]; readonly headers: Headers }> {
  const abort = new AbortController()
  const response = await fetch(url + path, {
    headers: { 'x-api-key': options.key, ...options.headers },
    signal: abort.signal,
  })
  const events: ReadEvent[] = []
  const parser = createParser({
    onEvent: (event: EventSourceMessage) =>
      events.push({ id: Number(event.id), event: event.event ?? '', data: JSON.parse(event.data) }),
  })
  const decoder = new TextDecoder()
  if (response.ok && response.body) {
    for await (const chunk of response.body) {
      options.onOpen?.()
      parser.feed(decoder.decode(chunk, { stream: true }))
      if (options.enough?.(events)) break
    }
  }
  abort.abort()
  return { status: response.status, events, headers: response.headers }
}
