import type { IncomingMessage } from 'node:http'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { TableMapping } from '../../../core/compile/rows/table/mapping.ts'
import type { TablePreview } from '../../../core/compile/rows/table/table-preview.ts'
import { matchTemplate } from '../../../core/compile/stages/advice/templates/match.ts'
import {
  PreviewCompileAnswer,
  previewCompileBody,
  PreviewForm,
  previewUploadSpec,
} from '../../../core/compile/wire/jobs/plan.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { sha256, type Json } from '../../../core/kernel/json/json.ts'
import { LONG_LISTS } from '../../../core/compile/wire/jobs/spec.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute, type CompileServices } from '../services.ts'
import {
  readable,
  receiveFile,
  releaseReceived,
  type FileReceiver,
  type ReceivedFile,
} from '../submit/received-file.ts'
import { receiveSpecAndFile } from '../submit/spec-and-file.ts'

const SHOWN = 5

export const previewCompileRoute = defineRoute({
  method: 'post',
  path: '/v1/compile/preview',
  operationId: 'previewCompile',
  group: 'compile',
  summary: 'Show how a compile would read its rows',
  description: (limits) =>
    `Needs no provider key and gives the same sample for the same request. A file of up to ${limits.preview_file_bytes} bytes, or a pasted \`text\`, is shown as a compile would read it: encoding, delimiter, columns with types and samples, which are inputs and which is the answer, duplicates, contradictions, and what the compile would be refused for. Send the same \`mapping\` with the compile to confirm or correct it. Given examples are shown as they would be read; without any, rows of the starter template that the description resembles most, said so in \`method\`.`,
  auth: 'optional',
  scope: 'compile:read',
  namespace: 'none: it computes from the request alone',
  stores: 'bounded',
  longLists: LONG_LISTS,
  limit: { name: 'preview', limit: 'previews_per_ip_minute', windowS: 60, counts: 'calls' },
  body: previewCompileBody,
  multipart: PreviewForm,
  answers: {
    200: envelope('The sample', PreviewCompileAnswer),
  },
  errors: ['missing_describe', 'no_examples', 'too_many_examples', 'example_too_large', 'busy', 'storage_full'],
}).handle(
  async ({ services, body, caller }) => {
    const text = body.describe ?? body.task ?? ''
    if (body.text !== undefined) {
      const receiver = receiverOf(services, caller)
      const pasted = bytesOf(body.text)
      const received = await receiveFile(pasted, 'text', receiver, services.limits.preview_file_bytes)
      const table = await inspect(received, { ...body.mapping, encoding: 'utf-8' }, receiver)
      return { status: 200, body: { ...fromTable(table), ...stamp(services, text) } }
    }
    const given = await services.intake.sample(body.examples ?? [], caller)
    const sample = given.count > 0 ? fromExamples(given) : fromTemplate(text)
    return { status: 200, body: { ...sample, ...stamp(services, text) } }
  },
  async ({ services, request, caller }) => {
    const { text, table } = await previewUpload(request, receiverOf(services, caller))
    return { status: 200, body: { ...fromTable(table), ...stamp(services, text) } }
  },
)

function receiverOf({ limits, intake, spool }: CompileServices, caller: string): FileReceiver {
  return { limits, intake, spool, caller }
}

function stamp(services: CompileServices, text: string) {
  return { describe_hash: sha256(text), generated_at: services.now().toISOString() }
}

/** Reads the parts `spec`, which may be absent, and a file, in either order. Throws the problem of either. */
async function previewUpload(
  request: IncomingMessage,
  receiver: FileReceiver,
): Promise<{ readonly text: string; readonly table: TablePreview }> {
  const { limits } = receiver
  const schema = previewUploadSpec(limits)
  const { spec, received } = await receiveSpecAndFile(request, schema, receiver, limits.preview_file_bytes)
  if (received === undefined) throw invalidField('file', 'is required', COMPILE_ERRORS.no_examples)
  const table = await inspect(received, spec?.mapping ?? {}, receiver)
  return { text: spec?.describe ?? spec?.task ?? '', table }
}

async function inspect(received: ReceivedFile, mapping: TableMapping, receiver: FileReceiver): Promise<TablePreview> {
  try {
    const { file, read, release } = await readable(received, mapping, receiver, 'examples')
    try {
      return await receiver.intake.inspect(file, read, receiver.caller)
    } finally {
      await release()
    }
  } finally {
    await releaseReceived(received)
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

function fromTable(table: TablePreview) {
  return {
    pairs: table.examples.map(({ input, output }) => ({ q: input, a: output })),
    examples_n: table.rows - table.unanswered.count,
    method: 'given_file' as const,
    template_id: null,
    note:
      table.problems.length === 0
        ? 'the first rows of the file, as a compile would read them'
        : 'a compile would be refused; see `table.problems`',
    table: presentTable(table),
  }
}

function presentTable(table: TablePreview) {
  return {
    format: table.format,
    encoding: table.encoding,
    delimiter: table.delimiter,
    sheets: table.sheets && [...table.sheets],
    sheet: table.sheet,
    header: table.header,
    columns: table.columns.map((column) => ({ ...column, samples: [...column.samples] })),
    input: { columns: [...table.input.columns], reason: table.input.reason },
    output: table.output,
    rows: table.rows,
    blank_rows: table.blank_rows,
    title_rows: linesOf(table.title_rows),
    repeated_headers: linesOf(table.repeated_headers),
    total_rows: linesOf(table.total_rows),
    ragged_rows: linesOf(table.ragged_rows),
    unlabelled: table.unlabelled,
    unanswered: linesOf(table.unanswered),
    duplicates: linesOf(table.duplicates),
    contradictions: {
      count: table.contradictions.count,
      shown: table.contradictions.shown.map(({ input, answers }) => ({ input, answers: [...answers] })),
    },
    problems: table.problems.map(({ field, message }) => ({ field, message })),
    examples: [...table.examples],
    first_rows: table.firstRows.map((cells) => [...cells]),
  }
}

function linesOf({ count, lines }: { readonly count: number; readonly lines: readonly number[] }) {
  return { count, lines: [...lines] }
}

function fromExamples(given: {
  readonly count: number
  readonly rows: readonly { readonly input: Json; readonly output: Json }[]
}) {
  return {
    pairs: given.rows.slice(0, SHOWN).map(({ input, output }) => ({ q: input, a: output })),
    examples_n: given.count,
    method: 'given_examples' as const,
    template_id: null,
    note: 'the first of the given examples, as a compile reads them',
    table: null,
  }
}

function fromTemplate(text: string) {
  const template = matchTemplate(text)
  return {
    pairs: (template?.examples ?? []).slice(0, SHOWN).map(({ input, output }) => ({ q: input, a: output })),
    examples_n: 0,
    method: template ? ('template_rows' as const) : ('none' as const),
    template_id: template?.id ?? null,
    note: template
      ? `rows of the starter template ${template.id}, which the description resembles; they are made up and say nothing about your data`
      : 'no starter template resembles the description; give examples',
    table: null,
  }
}
