import { setTimeout as sleep } from 'node:timers/promises'
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  isGrpcServiceError,
  makeGrpcRetryInterceptor,
} from '@temporalio/client'
import { KERNEL_ERRORS, type DomainError } from '../core/kernel/errors.ts'
import { createDataConverter } from './data-converter.ts'

/** Address of Temporal and settings of the connection. */
export interface TemporalSettings {
  /** `host:port` of the server's gRPC endpoint. */
  readonly address: string
  readonly namespace: string
  /** 32 bytes; when present, all our payloads that Temporal stores are encrypted. */
  readonly codecKey?: Uint8Array | undefined
  /** Names the process in histories, for instance `api@host`. */
  readonly identity?: string
}

/** A client of Temporal together with its connection. */
export interface TemporalClient {
  readonly client: Client
  readonly namespace: string
  close(): Promise<void>
}

/** Limit of one call, milliseconds. */
const CALL_DEADLINE_MS = 10_000

/**
 * Makes a client that connects on first use and reconnects after an outage of the server; making one never fails. Its
 * calls fail with `workflow_engine_unavailable` when made through the functions of this folder.
 */
export function createTemporalClient(settings: TemporalSettings): TemporalClient {
  const retries = createRetries()
  const connection = Connection.lazy({
    address: settings.address,
    connectTimeout: CALL_DEADLINE_MS,
    interceptors: [retries.interceptor],
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 2000 },
  })
  const client = new Client({
    connection,
    namespace: settings.namespace,
    dataConverter: createDataConverter(settings.codecKey),
    ...(settings.identity === undefined ? {} : { identity: settings.identity }),
  })
  return {
    client,
    namespace: settings.namespace,
    async close() {
      await retries.end()
      await connection.close()
    },
  }
}

/** Retries calls that fail because the server is away, for about a second in all. */
const CALL_ATTEMPTS = 5

/**
 * Replaces the SDK's own retries with ones that can be ended: the SDK waits in timers, and one that fires on a closed
 * connection would end the process.
 */
function createRetries() {
  const defaults = defaultGrpcRetryOptions()
  let isEnding = false
  let latestRetryAt = 0
  const interceptor = makeGrpcRetryInterceptor({
    retryableDecider: (attempt, status) =>
      !isEnding && attempt < CALL_ATTEMPTS && defaults.retryableDecider(attempt, status),
    delayFunction: (attempt, status) => {
      const delayMs = defaults.delayFunction(attempt, status)
      latestRetryAt = Math.max(latestRetryAt, Date.now() + delayMs)
      return delayMs
    },
  })
  return {
    interceptor,
    async end(): Promise<void> {
      isEnding = true
      const waitMs = latestRetryAt - Date.now()
      if (waitMs > -RETRY_SLACK_MS) await sleep(waitMs + RETRY_SLACK_MS)
    },
  }
}

const RETRY_SLACK_MS = 50

/** Checks that the server answers and knows the namespace. Throws `workflow_engine_unavailable` after `timeoutMs`. */
export async function pingTemporal(temporal: TemporalClient, timeoutMs: number): Promise<void> {
  const { connection } = temporal.client
  await callTemporal(
    () =>
      connection.withDeadline(Date.now() + timeoutMs, () =>
        connection.workflowService.describeNamespace({ namespace: temporal.namespace }),
      ),
    timeoutMs,
  )
}

/**
 * Runs one call with a deadline. Errors of a server that is away, too slow or not set up yet become
 * `workflow_engine_unavailable`; any other error passes.
 */
export async function callTemporal<T>(call: () => Promise<T>, deadlineMs = CALL_DEADLINE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(`no answer within ${deadlineMs} ms`)), deadlineMs)
  })
  try {
    return await Promise.race([call(), expired])
  } catch (error) {
    throw isUnavailable(error) ? unavailable('it cannot be reached', error) : error
  } finally {
    clearTimeout(timer)
  }
}

function unavailable(reason: string, cause?: unknown): DomainError {
  return KERNEL_ERRORS.workflow_engine_unavailable(`the workflow engine did not answer: ${reason}`, {
    retryAfterS: 2,
    ...(cause === undefined ? {} : { cause }),
  })
}

/** gRPC status codes: 4 deadline exceeded, 8 resource exhausted, 13 internal, 14 unavailable. */
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([4, 8, 13, 14])

function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isGrpcServiceError(cause) && TRANSIENT_STATUS.has(cause.code)) return true
    if ('code' in cause && (cause.code === 'ECONNREFUSED' || cause.code === 'ECONNRESET')) return true
    if (/connect(ion)? (timed out|dropped|refused)|Failed to connect/i.test(cause.message)) return true
  }
  return false
}
