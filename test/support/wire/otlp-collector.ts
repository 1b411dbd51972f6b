import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A span or a point of a histogram, as a collector gets it. */
export interface CollectedSpan {
  readonly name: string
  readonly traceId: string
  readonly parentId: string
  readonly kind: number
  readonly statusCode: number
  readonly durationMs: number
  readonly attributes: Readonly<Record<string, unknown>>
}
/** One point of a metric. */
export interface CollectedPoint {
  readonly metric: string
  readonly unit: string
  readonly count: number
  readonly sum: number
  readonly attributes: Readonly<Record<string, unknown>>
}

/** A collector that speaks OTLP over HTTP with protobuf bodies. */
export interface OtlpCollector {
  readonly endpoint: string
  readonly spans: readonly CollectedSpan[]
  readonly points: readonly CollectedPoint[]
  readonly resources: readonly Readonly<Record<string, unknown>>[]
  readonly headers: readonly IncomingHttpHeaders[]
  /** The bodies as they came, for searches for what must not be in them. */
  readonly bodies: readonly Buffer[]
  close(): Promise<void>
}

/** Starts a collector on a port of its own. It reads the messages of opentelemetry-proto 1.7 by their field numbers. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = []
  const points: CollectedPoint[] = []
  const resources: Readonly<Record<string, unknown>>[] = []
  const headers: IncomingHttpHeaders[] = []
  const bodies: Buffer[] = []
  const server = createServer((request, response) => {
    const take = async () => {
      const body = await buffer(request)
      bodies.push(body)
      headers.push(request.headers)
      for (const group of fieldsOf(body)
        .all(1)
        .map((bytes) => fieldsOf(bytes))) {
        resources.push(...group.all(1).map((bytes) => attributesOf(fieldsOf(bytes).all(1))))
        const entries = group.all(2).flatMap((scope) => fieldsOf(scope).all(2))
        if (request.url === '/v1/traces') spans.push(...entries.map((entry) => spanOf(fieldsOf(entry))))
        if (request.url === '/v1/metrics') points.push(...entries.flatMap((entry) => pointsOf(fieldsOf(entry))))
      }
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    }
    take().catch((error: unknown) => response.writeHead(400).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    points,
    resources,
    headers,
    bodies,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function spanOf(span: Fields): CollectedSpan {
  const [status] = span.all(15)
  return {
    traceId: hex(span.all(1)),
    parentId: hex(span.all(4)),
    name: textOf(span.all(5)[0]),
    kind: Number(span.numbers(6)[0] ?? 0n),
    durationMs: Number((span.numbers(8)[0] ?? 0n) - (span.numbers(7)[0] ?? 0n)) / 1e6,
    attributes: attributesOf(span.all(9)),
    statusCode: status === undefined ? 0 : Number(fieldsOf(status).numbers(3)[0] ?? 0n),
  }
}

function pointsOf(metric: Fields): CollectedPoint[] {
  const named = { metric: textOf(metric.all(1)[0]), unit: textOf(metric.all(3)[0]) }
  const histograms = metric.all(9).map((bytes) => fieldsOf(bytes))
  return histograms
    .flatMap((histogram) => histogram.all(1).map((bytes) => fieldsOf(bytes)))
    .map((point) => ({
      ...named,
      attributes: attributesOf(point.all(9)),
      count: Number(point.numbers(4)[0] ?? 0n),
      sum: doubleOf(point.numbers(5)[0] ?? 0n),
    }))
}

/** Reads a list of KeyValue messages. */
function attributesOf(pairs: readonly Buffer[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairs.map((bytes) => {
      const pair = fieldsOf(bytes)
      const [value] = pair.all(2)
      return [textOf(pair.all(1)[0]), value === undefined ? null : anyValue(fieldsOf(value))]
    }),
  )
}

function anyValue(value: Fields): unknown {
  const [text] = value.all(1)
  if (text !== undefined) return text.toString()
  const [flag] = value.numbers(2)
  if (flag !== undefined) return flag === 1n
  const [int] = value.numbers(3)
  if (int !== undefined) return Number(int)
  const [double] = value.numbers(4)
  if (double !== undefined) return doubleOf(double)
  return value.all(5).flatMap((list) =>
    fieldsOf(list)
      .all(1)
      .map((entry) => anyValue(fieldsOf(entry))),
  )
}

/** The fields of a protobuf message by their numbers. */
interface Fields {
  all(field: number): readonly Buffer[]
  numbers(field: number): readonly bigint[]
}

function fieldsOf(message: Buffer): Fields {
  const bytes = new Map<number, Buffer[]>()
  const numbers = new Map<number, bigint[]>()
  const put = <V>(map: Map<number, V[]>, field: number, value: V) => map.set(field, [...(map.get(field) ?? []), value])
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(message.readUInt8(at++))
      value |= (byte & 127n) << shift
      if (byte < 128n) return value
    }
  }
  while (at < message.length) {
    const tag = Number(varint())
    const field = tag >>> 3
    switch (tag & 7) {
      case 0: {
        put(numbers, field, varint())
        break
      }
      case 1: {
        put(numbers, field, message.readBigUInt64LE(at))
        at += 8
        break
      }
      case 2: {
        const length = Number(varint())
        put(bytes, field, message.subarray(at, at + length))
        at += length
        break
      }
      case 5: {
        put(numbers, field, BigInt(message.readUInt32LE(at)))
        at += 4
        break
      }
      default: {
        throw new Error(`no wire type ${tag & 7}`)
      }
    }
  }
  return { all: (field) => bytes.get(field) ?? [], numbers: (field) => numbers.get(field) ?? [] }
}

function doubleOf(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, bits)
  return view.getFloat64(0)
}

function textOf(bytes: Buffer | undefined): string {
  return bytes?.toString() ?? ''
}

function hex(values: readonly Buffer[]): string {
  return values[0]?.toString('hex') ?? ''
}
