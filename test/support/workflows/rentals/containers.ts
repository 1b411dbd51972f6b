import { createServer, type ServerHttp2Stream } from 'node:http2'
import { buffer } from 'node:stream/consumers'
import {
  messagesOf,
  readMessage,
  textField,
} from '../../../../core/compile/stages/rentals/providers/containers/read-message.ts'
import { ProtobufWriter } from '../../../../core/model/graph/protobuf-writer.ts'
import type { Market } from './market.ts'
import type { ProviderServer } from './providers.ts'

/** Codes of gRPC (https://grpc.io/docs/guides/status-codes). */
const NOT_FOUND = 5
const ALREADY_EXISTS = 6
const EXHAUSTED = 8
const UNAVAILABLE = 14
const UNAUTHENTICATED = 16

/**
 * Modal's gRPC service, as far as containers are created, listed and terminated. Numbers of fields are those of
 * modal_proto/api.proto; names of containers are unique while they run, and an image takes two looks to be built.
 */
export async function startContainers(market: Market): Promise<ProviderServer> {
  const images = new Map<string, number>()
  const server = createServer()
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  server.on('stream', (stream, headers) => void take(stream, headers))
  async function take(stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>): Promise<void> {
    stream.on('error', () => undefined)
    const bytes = await buffer(stream)
    const key = `${String(headers['x-modal-token-id'])}:${String(headers['x-modal-token-secret'])}`
    if (key !== market.key) return fail(stream, UNAUTHENTICATED)
    const method = String(headers[':path']).replace('/modal.client.ModalClient/', '')
    const message = readMessage(bytes.subarray(5))
    switch (method) {
      case 'AppGetOrCreate':
        return reply(stream, (answer) => answer.string(1, `ap-${textField(message, 1)}`))
      case 'ImageGetOrCreate': {
        const [image] = messagesOf(message, 2)
        const command = image === undefined ? '' : textField(image, 6)
        const looks = (images.get(command) ?? 0) + 1
        images.set(command, looks)
        return reply(stream, (answer) => {
          answer.string(1, `im-${command.replace('FROM ', '')}`)
          if (looks > 1) answer.message(2, (result) => result.integer(1, 1))
        })
      }
      case 'SandboxCreate':
        return create(stream, message)
      case 'SandboxList': {
        // A page holds all; the second, of those created before the first of them, is empty.
        const machines = message.has(2) ? [] : market.running
        return reply(stream, (answer) => {
          for (const { id, name, startedAt } of machines) {
            answer.message(1, (info) => {
              info.string(1, id)
              info.double(3, startedAt / 1000)
              info.string(7, name)
            })
          }
        })
      }
      case 'SandboxTerminate':
        return market.end(textField(message, 1)) ? reply(stream, () => undefined) : fail(stream, NOT_FOUND)
      default:
        return fail(stream, NOT_FOUND)
    }
  }

  function create(stream: ServerHttp2Stream, message: ReturnType<typeof readMessage>): void {
    const [sandbox] = messagesOf(message, 2)
    if (sandbox === undefined) return fail(stream, NOT_FOUND)
    const name = textField(sandbox, 30)
    if (market.running.some((machine) => machine.name === name)) return fail(stream, ALREADY_EXISTS)
    const entries = messagesOf(sandbox, 40).flatMap((map) => messagesOf(map, 1))
    const environment = Object.fromEntries(entries.map((entry) => [textField(entry, 1), textField(entry, 2)]))
    const rented = market.rent({ name, image: textField(sandbox, 3).replace('im-', ''), environment })
    if (rented === undefined) return fail(stream, UNAVAILABLE)
    if (rented === 'no_capacity') return fail(stream, EXHAUSTED)
    reply(stream, (answer) => answer.string(1, rented.id))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      for (const session of sessions) session.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function reply(stream: ServerHttp2Stream, write: (answer: ProtobufWriter) => void): void {
  const answer = new ProtobufWriter()
  write(answer)
  const bytes = answer.toBytes()
  const frame = Buffer.alloc(5 + bytes.length)
  frame.writeUInt32BE(bytes.length, 1)
  frame.set(bytes, 5)
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  stream.end(frame)
}

function fail(stream: ServerHttp2Stream, status: number): void {
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status) },
    { endStream: true },
  )
}
