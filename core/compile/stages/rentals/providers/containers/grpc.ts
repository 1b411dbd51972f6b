import { connect, constants, type ClientHttp2Session } from 'node:http2'
import { ProviderFault, type ProviderFaultKind } from '../../pod-provider.ts'
import type { ProtobufWriter } from '../../../../../model/graph/protobuf-writer.ts'
import { readMessage, type Message } from './read-message.ts'

/** An answer that is an error of the service that was called. */
export class GrpcRefusal extends ProviderFault {
  /** As in https://grpc.io/docs/guides/status-codes. */
  readonly status: number

  constructor(status: number, message: string) {
    super(KINDS[status] ?? 'refused', message)
    this.name = 'GrpcRefusal'
    this.status = status
  }
}

/** The codes of gRPC that are not a plain refusal. */
export const GRPC = { notFound: 5, alreadyExists: 6 } as const

const KINDS: Readonly<Record<number, ProviderFaultKind>> = {
  1: 'unclear',
  2: 'unclear',
  4: 'unclear',
  7: 'unauthorized',
  8: 'no_capacity',
  10: 'unclear',
  13: 'unclear',
  14: 'unclear',
  16: 'unauthorized',
}

/** Calls of one gRPC service. */
export interface GrpcClient {
  /** One call with one answer. Throws `ProviderFault`. */
  call(method: string, message: ProtobufWriter, signal: AbortSignal): Promise<Message>
  close(): Promise<void>
}

const TIMEOUT_MS = 20_000
const MAX_REPLY_BYTES = 8 * 1024 * 1024
const PREFIX_BYTES = 5

/** Opens a gRPC service over HTTP/2 (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). Connects at the first call. */
export function openGrpc(baseUrl: string, service: string, metadata: Readonly<Record<string, string>>): GrpcClient {
  let session: ClientHttp2Session | undefined
  const opened = (): ClientHttp2Session => {
    if (session !== undefined && !session.closed && !session.destroyed) return session
    const made = connect(baseUrl)
    // The call that waits for it fails with the same error.
    made.on('error', () => undefined)
    made.unref()
    session = made
    return made
  }
  return {
    async call(method, message, signal) {
      signal.throwIfAborted()
      try {
        const { status, note, body } = await send(opened(), `/${service}/${method}`, {
          metadata,
          message: message.toBytes(),
          signal,
        })
        if (status !== 0)
          throw new GrpcRefusal(status, `the provider of containers refused ${method}: ${status} ${note}`)
        return readMessage(framed(body))
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (error instanceof ProviderFault) throw error
        throw new ProviderFault('unclear', 'the provider of containers did not answer', { cause: error })
      }
    },
    async close() {
      session?.destroy()
    },
  }
}

interface GrpcReply {
  readonly status: number
  readonly note: string
  readonly body: Buffer
}

async function send(
  session: ClientHttp2Session,
  path: string,
  call: {
    readonly metadata: Readonly<Record<string, string>>
    readonly message: Uint8Array
    readonly signal: AbortSignal
  },
): Promise<GrpcReply> {
  const { promise, resolve, reject } = Promise.withResolvers<GrpcReply>()
  const stream = session.request(
    {
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-timeout': `${TIMEOUT_MS}m`,
      ...call.metadata,
    },
    { signal: AbortSignal.any([call.signal, AbortSignal.timeout(TIMEOUT_MS)]) },
  )
  const pieces: Buffer[] = []
  let size = 0
  let outcome: { readonly status: number; readonly note: string } | undefined
  const read = (headers: Readonly<Record<string, unknown>>): void => {
    const status = Number(headers['grpc-status'] ?? Number.NaN)
    if (Number.isInteger(status)) outcome = { status, note: noteOf(headers['grpc-message']) }
  }
  stream.on('response', (headers) => {
    const http = Number(headers[constants.HTTP2_HEADER_STATUS])
    if (http !== 200) reject(new ProviderFault('unclear', `the provider of containers answered ${http}`))
    read(headers)
  })
  stream.on('trailers', read)
  stream.on('data', (piece: Buffer) => {
    size += piece.length
    if (size > MAX_REPLY_BYTES) stream.destroy(new Error('the answer is too large'))
    else pieces.push(piece)
  })
  stream.on('error', reject)
  stream.on('close', () => {
    if (outcome === undefined) reject(new Error('the answer broke off'))
    else resolve({ ...outcome, body: Buffer.concat(pieces) })
  })
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32BE(call.message.length, 1)
  stream.end(Buffer.concat([prefix, call.message]))
  return await promise
}

/** The message in the frame of an answer. Throws for one that is compressed, cut off or followed by another. */
function framed(body: Buffer): Uint8Array {
  if (body.length < PREFIX_BYTES || body[0] !== 0 || body.readUInt32BE(1) !== body.length - PREFIX_BYTES) {
    throw new RangeError('the answer is not one message')
  }
  return body.subarray(PREFIX_BYTES)
}

function noteOf(message: unknown): string {
  const text = typeof message === 'string' ? message.slice(0, 200) : ''
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
