import pg from 'pg'
import { explainFailure } from './faults/failures.ts'

/** Notifications between processes through Postgres. Payloads are ids, never content. */
const CHANNELS = [
  'svc_jobs',
  'svc_keys',
  'svc_sessions',
  'svc_receipt_secrets',
  'svc_quota',
  'svc_concepts',
  'svc_captures',
  'svc_namespaces',
] as const
export type Channel = (typeof CHANNELS)[number]

/** The one listening connection of a process. */
export interface Notifications {
  /** False while the connection is lost: cached rows may have ended meanwhile. */
  readonly isListening: boolean
  /** Calls `handler` with the payload of every notification on the channel. Returns an unsubscribe function. */
  on(channel: Channel, handler: (payload: string) => void): () => void
  /**
   * Calls `handler` after a lost connection is restored: notifications in between are lost, so caches must be emptied.
   */
  onReconnect(handler: () => void): () => void
  close(): Promise<void>
}

const FIRST_DELAY_MS = 50
const LONGEST_DELAY_MS = 2000
/** A query without a reply reveals a half-open connection. */
const PROBE_MS = 15_000

/** Opens the listening connection and keeps it open. Throws `store_unavailable` when the first attempt fails. */
export async function openNotifications(
  url: string,
  options: { readonly log?: (message: string) => void } = {},
): Promise<Notifications> {
  const listener = new Listener(url, options.log ?? (() => {}))
  try {
    await listener.connect()
  } catch (error) {
    await listener.close()
    throw explainFailure(error)
  }
  return listener
}

class Listener implements Notifications {
  readonly #url: string
  readonly #log: (message: string) => void
  readonly #handlers = new Map<string, Set<(payload: string) => void>>()
  readonly #reconnected = new Set<() => void>()
  #client: pg.Client | undefined
  #probe: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(url: string, log: (message: string) => void) {
    this.#url = url
    this.#log = log
  }

  get isListening(): boolean {
    return this.#client !== undefined
  }

  on(channel: Channel, handler: (payload: string) => void): () => void {
    const handlers = this.#handlers.get(channel) ?? new Set()
    this.#handlers.set(channel, handlers)
    handlers.add(handler)
    return () => handlers.delete(handler)
  }

  onReconnect(handler: () => void): () => void {
    this.#reconnected.add(handler)
    return () => this.#reconnected.delete(handler)
  }

  async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      connectionTimeoutMillis: 5000,
      query_timeout: 5000,
      application_name: 'svc listener',
    })
    client.on('error', () => this.#lose(client))
    client.on('end', () => this.#lose(client))
    client.on('notification', ({ channel, payload }) => {
      for (const handler of this.#handlers.get(channel) ?? []) handler(payload ?? '')
    })
    try {
      await client.connect()
      for (const channel of CHANNELS) await client.query(`listen ${channel}`)
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    if (this.#isClosed) return await client.end()
    this.#client = client
    this.#probe = setInterval(() => {
      client.query('select 1').catch(() => this.#lose(client))
    }, PROBE_MS)
    this.#probe.unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#probe)
    clearTimeout(this.#retry)
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => {})
  }

  #lose(client: pg.Client): void {
    if (client !== this.#client) return
    this.#client = undefined
    clearInterval(this.#probe)
    client.end().catch(() => {})
    if (this.#isClosed) return
    this.#log('lost the listening connection to Postgres; connecting again')
    this.#reconnect(FIRST_DELAY_MS)
  }

  #reconnect(delayMs: number): void {
    this.#retry = setTimeout(() => {
      this.connect().then(
        () => {
          for (const handler of this.#reconnected) handler()
        },
        () => {
          if (!this.#isClosed) this.#reconnect(Math.min(delayMs * 2, LONGEST_DELAY_MS))
        },
      )
    }, delayMs)
  }
}
