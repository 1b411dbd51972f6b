import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { FORMAT_FILES, openExport, ROW_OF } from '../../../core/gateway/captures/export/formats.ts'
import type { ExportFormat, RowFormat } from '../../../core/gateway/captures/export/format-names.ts'
import {
  EXPORT_COUNT,
  EXPORT_DIGEST,
  ExportCapturesQuery,
  ExportNamedAnswer,
  ExportNamedBody,
} from '../../../core/gateway/wire/captures/exports.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { recordExport } from '../../../db/gateway/captures/recording/record-export.ts'
import { streamCaptures } from '../../../db/gateway/captures/stream-captures.ts'
import type { CaptureFilter } from '../../../db/gateway/captures/read-columns.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { envelope, rawAnswer } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { requireAccess, requireKnownNamespace } from './access.ts'
import { filterOf } from './lists.ts'

/** Facts that the routes of exports share. */
const EXPORTS = { group: 'captures', auth: 'key', scope: 'lake:export', namespace: 'bounded' } as const
/** Formats that are made of the stored bodies. */
const WITH_BODIES: ReadonlySet<ExportFormat> = new Set(['openai-ft', 'pairs'])
/** Bytes that wait for a slow reader, beside one batch. */
const WAITING_BYTES = 256 * 1024

export const exportCapturesRoute = defineRoute({
  ...EXPORTS,
  method: 'get',
  path: '/v1/capture/export',
  operationId: 'exportCaptures',
  summary: 'Export captures as a file',
  description:
    'All captures that match, oldest first, streamed: JSON lines, CSV, Parquet, OpenAI fine-tuning lines (`openai-ft`) or `{input, output}` (`pairs`). Filters are those of `GET /v1/captures/list`; `status=approved` exports what was approved. A reviewer\'s `fixed_output` stands in place of the response. Forgotten captures and those of zero retention are left out. The trailers `x-svc-export-count` and `x-svc-export-digest` count the captures and give the SHA-256 of the rows; JSON lines end with the line `{"export": …}` that repeats them, and Parquet has them in its metadata. A file without them was cut off. A namespace that is unknown, or not the key\'s, is 404. Needs the role admin.',
  query: ExportCapturesQuery,
  answers: {
    200: rawAnswer(
      'The file, in the media type of its format',
      FORMAT_FILES.jsonl.mediaType,
      FORMAT_FILES.csv.mediaType,
      FORMAT_FILES.parquet.mediaType,
    ),
  },
  errors: ['forbidden', 'not_found', 'rate_limited'],
})
  .authorize(async ({ op, principal, query }) => {
    await requireAccess({ op, principal }, 'lake:export')
    await requireKnownNamespace(op, query.namespace)
  })
  .handle(async ({ op, services, query, hangUp }) => {
    const { format } = query
    const leave = services.streams.enter(`exports of ${op.tenantId}`, services.limits.capture_exports_per_tenant)
    const signal = hangUp()
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    const sent = { count: 0, digest: '' }
    const bytes = writeExport(op, { format, filter: filterOf(query), signal, sent })
    const stream = Readable.from(bytes, { objectMode: false, highWaterMark: WAITING_BYTES })
    stream.once('close', leave)
    const { mediaType, ending } = FORMAT_FILES[format]
    return await Promise.resolve({
      status: 200,
      raw: {
        kind: 'stream',
        stream,
        trailers: () => ({ [EXPORT_COUNT]: String(sent.count), [EXPORT_DIGEST]: sent.digest }),
      },
      headers: {
        'Content-Type': mediaType,
        'Content-Disposition': `attachment; filename="captures-${op.tenantId}.${ending}"`,
        'Cache-Control': 'private, no-store, no-transform',
        'X-Accel-Buffering': 'no',
        Trailer: `${EXPORT_COUNT}, ${EXPORT_DIGEST}`,
      },
    })
  })

/** Writes an export batch by batch, and a line about it in the ledger at its end. */
async function* writeExport(
  op: Operation,
  options: {
    readonly format: ExportFormat
    readonly filter: CaptureFilter
    readonly signal: AbortSignal
    /** Filled at the end, for the trailers. */
    readonly sent: { count: number; digest: string }
  },
): AsyncGenerator<string | Uint8Array> {
  const { format, filter, signal, sent } = options
  const file = openExport(format)
  const hash = createHash('sha256').update(file.head)
  if (file.head !== '') yield file.head
  for await (const captures of streamCaptures(op, filter, { withBodies: WITH_BODIES.has(format) })) {
    if (signal.aborted) return
    const bytes = file.batch(captures)
    hash.update(bytes)
    sent.count += captures.length
    yield bytes
  }
  sent.digest = `sha256:${hash.digest('hex')}`
  await recordExport(op, { ...sent, format, namespace: filter.namespace ?? null })
  const end = file.end(sent)
  if (end.length > 0) yield end
}

export const exportNamedCapturesRoute = defineRoute({
  ...EXPORTS,
  method: 'post',
  path: '/v1/capture/export',
  operationId: 'exportNamedCaptures',
  summary: 'Export named captures inline',
  description:
    'Up to 500 captures by their ids, as rows of a JSON answer. Ids without a row are reported. Rows of more than `capture_named_export_bytes` together (16 MiB unless the operator changes it) are refused (413): `GET /v1/capture/export` streams any number. Counts as an export of the account while it runs.',
  stores: 'bounded',
  body: ExportNamedBody,
  answers: { 200: envelope('The rows', ExportNamedAnswer) },
  errors: ['forbidden', 'not_found', 'payload_too_large', 'rate_limited'],
})
  .authorize(async ({ op, principal, body }) => {
    await requireAccess({ op, principal }, 'lake:export')
    await requireKnownNamespace(op, body.namespace)
  })
  .handle(async ({ op, services: { limits, streams }, body: { capture_ids: ids, format, namespace } }) => {
    const leave = streams.enter(`exports of ${op.tenantId}`, limits.capture_exports_per_tenant)
    try {
      const { rows, known } = await readNamed(op, {
        ids,
        namespace,
        format,
        maxBytes: limits.capture_named_export_bytes,
      })
      const digest = `sha256:${createHash('sha256').update(JSON.stringify(rows)).digest('hex')}`
      await recordExport(op, { count: rows.length, digest, format, namespace: namespace ?? null })
      return {
        status: 200,
        body: { format, count: rows.length, captures: rows, not_found: ids.filter((id) => !known.has(id)) },
      }
    } finally {
      leave()
    }
  })

/** Reads the rows of named captures. Throws `payload_too_large` at the first row that is too much. */
async function readNamed(
  op: Operation,
  named: {
    readonly ids: readonly string[]
    readonly namespace: string | undefined
    readonly format: RowFormat
    readonly maxBytes: number
  },
) {
  const { ids, namespace, format, maxBytes } = named
  const rows: JsonObject[] = []
  const known = new Set<string>()
  let left = maxBytes
  for await (const batch of streamCaptures(op, { ids, namespace }, { withBodies: WITH_BODIES.has(format) })) {
    for (const capture of batch) {
      const row = ROW_OF[format](capture)
      left -= Buffer.byteLength(JSON.stringify(row))
      if (left < 0) {
        const message = `the rows have more than ${maxBytes} bytes; name fewer captures, or stream them from GET /v1/capture/export`
        throw KERNEL_ERRORS.payload_too_large(message, { details: { max: maxBytes } })
      }
      rows.push(row)
      known.add(capture.id)
    }
  }
  return { rows, known }
}
