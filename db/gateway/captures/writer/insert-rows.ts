import { sql } from 'kysely'
import { BEGINNING_CHARS, type CaptureFacts, type NewCapture } from '../../../../core/gateway/captures/capture.ts'
import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import { listText, type ListText, type ListValue } from '../../../../core/kernel/json/list-text.ts'
import { compiled } from '../../../kernel/queries/compiled.ts'
import { unnest, writtenList, type List, type Statement } from '../../../kernel/queries/typed.ts'

/** A capture with its place in the chain and in the tail of its tenant. */
export interface ChainedCapture {
  readonly capture: NewCapture
  readonly blobSha256: Sha256 | null
  /** Bytes of a content without a blob; null for any other. */
  readonly inlineBytes: number | null
  /** Set for one that its tenant forgot before it was stored: its content is null. */
  readonly forgottenAt: Date | null
  readonly position: number
  readonly chainId: number
  readonly seq: number
  readonly prevHash: Uint8Array
  readonly chainHash: Uint8Array
}

type Type = Parameters<typeof writtenList>[0]
/** A column of an insert: its type, and its value of a row. */
type Column<Row> = readonly [type: Type, valueOf: (row: Row) => ListValue]

const fact = (type: Type, valueOf: (facts: CaptureFacts) => ListValue): Column<ChainedCapture> => [
  type,
  ({ capture }) => valueOf(capture.facts),
]
const bytesOf = (hex: string | null): Buffer | null => (hex === null ? null : Buffer.from(hex, 'hex'))
const jsonOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

const CAPTURE_VALUES = {
  id: fact('text', ({ id }) => id),
  tenant_id: fact('text', ({ tenantId }) => tenantId),
  namespace: fact('text', ({ namespace }) => namespace),
  position: ['bigint', ({ position }) => position],
  chain_id: ['bigint', ({ chainId }) => chainId],
  seq: ['bigint', ({ seq }) => seq],
  prev_hash: ['bytea', ({ prevHash }) => prevHash],
  chain_hash: ['bytea', (row) => row.chainHash],
  at: fact('timestamptz', ({ at }) => at),
  source: fact('text', ({ source }) => source),
  kind: fact('text', ({ kind }) => kind),
  dialect: fact('text', ({ dialect }) => dialect),
  provider: fact('text', ({ provider }) => provider),
  model: fact('text', ({ model }) => model),
  request_model: fact('text', ({ requestModel }) => requestModel),
  outcome: fact('text', ({ outcome }) => outcome),
  http_status: fact('integer', ({ httpStatus }) => httpStatus),
  error_code: fact('text', ({ errorCode }) => errorCode),
  is_streamed: fact('boolean', ({ isStreamed }) => isStreamed),
  input_tokens: fact('bigint', ({ usage }) => usage.inputTokens),
  cached_tokens: fact('bigint', ({ usage }) => usage.cachedTokens),
  cache_write_tokens: fact('bigint', ({ usage }) => usage.cacheWriteTokens),
  output_tokens: fact('bigint', ({ usage }) => usage.outputTokens),
  reasoning_tokens: fact('bigint', ({ usage }) => usage.reasoningTokens),
  is_estimated: fact('boolean', ({ usage }) => usage.isEstimated),
  cost_micros: fact('bigint', ({ costMicros }) => costMicros),
  latency_us: fact('bigint', ({ latencyUs }) => latencyUs),
  first_content_us: fact('bigint', ({ firstContentUs }) => firstContentUs),
  attempts: fact('json', ({ attempts }) => JSON.stringify(attempts)),
  route: fact('json', ({ route }) => jsonOf(route)),
  // A list of lists cannot be unnested; names of classes hold no comma, and an empty text is an empty list.
  redaction_classes: fact('text', ({ redactionClasses }) => redactionClasses.join(',')),
  // A capture of a spill file of before has none.
  sensitive_classes: ['text', ({ capture }) => (capture.sensitiveClasses ?? null)?.join(',') ?? null],
  retention: fact('text', ({ retention }) => retention),
  input_hash: fact('bytea', ({ inputHash }) => bytesOf(inputHash)),
  output_hash: fact('bytea', ({ outputHash }) => bytesOf(outputHash)),
  prompt_hash: fact('bytea', ({ promptHash }) => bytesOf(promptHash)),
  response_hash: fact('bytea', ({ responseHash }) => bytesOf(responseHash)),
  answer_hash: fact('bytea', ({ answerHash }) => bytesOf(answerHash)),
  receipt_id: fact('text', ({ receiptId }) => receiptId),
  receipt: ['json', ({ capture }) => jsonOf(capture.receipt)],
  conversation_id: fact('text', ({ conversationId }) => conversationId),
  request_id: fact('text', ({ requestId }) => requestId),
  key_id: fact('text', ({ keyId }) => keyId),
  member_id: fact('text', ({ memberId }) => memberId),
  team_id: fact('text', ({ teamId }) => teamId),
  template: ['text', ({ capture }) => capture.template],
  // A capture of a spill file of before has none.
  audio: ['json', ({ capture }) => jsonOf(capture.audio ?? null)],
  risk: ['double precision', ({ capture }) => capture.risk],
  risk_parts: ['json', ({ capture }) => jsonOf(capture.riskParts)],
  status: ['text', ({ capture }) => capture.review],
  forgotten_at: ['timestamptz', ({ forgottenAt }) => forgottenAt],
  content_left_out: fact('text', ({ contentLeftOut }) => contentLeftOut ?? null),
} as const satisfies Readonly<Record<string, Column<ChainedCapture>>>

const CONTENT_VALUES = {
  id: fact('text', ({ id }) => id),
  tenant_id: fact('text', ({ tenantId }) => tenantId),
  namespace: fact('text', ({ namespace }) => namespace),
  prompt: ['text', ({ capture, blobSha256 }) => shown(capture.content?.prompt, blobSha256)],
  response: ['text', ({ capture, blobSha256 }) => shown(capture.content?.response, blobSha256)],
  body: ['json', ({ capture, blobSha256 }) => (blobSha256 === null ? jsonOf(capture.content?.body ?? null) : null)],
  answer: ['json', ({ capture, blobSha256 }) => (blobSha256 === null ? jsonOf(capture.content?.answer ?? null) : null)],
  blob_sha256: ['text', ({ blobSha256 }) => blobSha256],
  inline_bytes: ['bigint', ({ inlineBytes }) => inlineBytes],
} as const satisfies Readonly<Record<string, Column<ChainedCapture>>>

function shown(text: string | undefined, blobSha256: Sha256 | null): string {
  return (blobSha256 === null ? text : text?.slice(0, BEGINNING_CHARS).toWellFormed()) ?? ''
}

type Lists = Readonly<Record<string, ListText<ListValue>>>
type Columns = Readonly<Record<string, Column<ChainedCapture>>>

/** The rows' values, one list a column. */
function valuesOf(columns: Columns, rows: readonly ChainedCapture[]): Lists {
  return Object.fromEntries(
    Object.entries(columns).map(([name, [, valueOf]]) => [name, listText(rows.map((row) => valueOf(row)))]),
  )
}

const NO_VALUES = listText([])

/** The lists of a compiled insert, each with its type. */
function listsOf(columns: Columns, values: Lists): Readonly<Record<string, List<unknown>>> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, [type]]) => [name, writtenList(type, values[name] ?? NO_VALUES)]),
  )
}

const captureRows = compiled((q, values: Lists) =>
  q
    .insertInto('captures')
    .columns(Object.keys(CAPTURE_VALUES) as (keyof typeof CAPTURE_VALUES)[])
    .expression(
      (of) =>
        of
          .selectFrom(unnest('u', listsOf(CAPTURE_VALUES, values)))
          .select(
            Object.keys(CAPTURE_VALUES).map((name) =>
              name === 'redaction_classes' || name === 'sensitive_classes'
                ? sql`string_to_array(${sql.ref(`u.${name}`)}, ',')`.as(name)
                : sql.ref(`u.${name}`).as(name),
            ) as never,
          ) as never,
    ),
)

const contentRows = compiled((q, values: Lists) =>
  q
    .insertInto('capture_contents')
    .columns(Object.keys(CONTENT_VALUES) as (keyof typeof CONTENT_VALUES)[])
    .expression(
      (of) =>
        of
          .selectFrom(unnest('u', listsOf(CONTENT_VALUES, values)))
          .select(Object.keys(CONTENT_VALUES).map((name) => sql.ref(`u.${name}`).as(name)) as never) as never,
    ),
)

/** The insert of rows into `captures`. */
export function insertCaptures(rows: readonly ChainedCapture[]): Statement<object> {
  return captureRows(valuesOf(CAPTURE_VALUES, rows)) as Statement<object>
}

/** The insert of their contents. */
export function insertContents(rows: readonly ChainedCapture[]): Statement<object> {
  return contentRows(valuesOf(CONTENT_VALUES, rows)) as Statement<object>
}
