import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import { KERNEL_ERRORS, invalidField } from '../../../core/kernel/errors.ts'
import {
  type AdapterState,
  type ChannelFamily,
  type Direction,
  type LinkName,
  type PayloadPolicy,
} from '../../../core/gateway/control/catalog.ts'
import { envelopeOf, ENVELOPE_VERSION } from '../../../core/gateway/control/envelope.ts'
import type { CompiledRecord, CompiledRecords } from '../../../core/gateway/ports.ts'
import type { SensitiveClass } from '../../../core/gateway/gate/privacy/classes.ts'
import { applyRedactionMap } from '../../../core/gateway/control/redaction/redaction-map.ts'
import { redact } from '../../../core/gateway/control/redaction/redact.ts'
import type { SchemaChecks } from '../../../core/gateway/control/schema/schema-checks.ts'
import { signRunReceipt, type ReceiptSigner } from '../../../core/ledger/receipts/run-receipt.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { hashJson, isJsonObject, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireNamespace } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { ControlEventEntity, type ControlEvent } from './control-records.ts'

/** An event as a source sends it. */
export interface ReceiveEventInput {
  readonly sourceId: string
  readonly channelFamily: ChannelFamily
  readonly direction: Direction
  readonly namespace: string
  readonly payloadPolicy: PayloadPolicy
  readonly content: JsonObject
  /** True when the source described the content's form. */
  readonly hasSchemaHint: boolean
  /** The adapter whose manifest the content must fit. */
  readonly adapter: { readonly id: string; readonly version: string } | null
  readonly links: Readonly<Partial<Record<LinkName, string>>>
  readonly metadata: JsonObject
  readonly given: readonly string[]
  readonly signer: ReceiptSigner
  readonly schemas: Pick<SchemaChecks, 'check'>
  /** Finds the linked records. */
  readonly records: Pick<CompiledRecords<Reader>, 'has'>
}

/** Links to the tenant's own records, which must exist within the caller's namespaces. */
const OWN_LINKS: Readonly<Partial<Record<LinkName, CompiledRecord['kind']>>> = {
  artifact_id: 'artifact',
  compile_run_id: 'compile_job',
  export_job_id: 'export',
}

/** Sensitive texts that must not be stored with an event. */
const SENSITIVE: readonly SensitiveClass[] = [
  'private_key',
  'api_key',
  'bearer_token',
  'database_url',
  'ssn',
  'payment_card',
  'account_number',
]

/**
 * Accepts an event: redacted, in its envelope, with a signed receipt of both that any reader can verify. Redacted text
 * is not stored. Throws `insufficient_scope` for a namespace outside the caller's, `privacy_policy_blocked` when the
 * source asked to refuse sensitive content, `not_found` for a link to an unknown object, and `busy`.
 */
export async function receiveEvent(op: Operation, input: ReceiveEventInput): Promise<ControlEvent> {
  const { namespace, payloadPolicy } = input
  requireNamespace(op, namespace)
  const { state: adapterState, redactionMap } = await readAdapter(op, input)
  const mapped = applyRedactionMap(input.content, redactionMap)
  const content = redact(mapped.value)
  const metadata = redact(input.metadata)
  const source = redact(input.sourceId)
  const links = redact({ ...input.links })
  const found = new Set([content, metadata, source, links].flatMap(({ classes }) => classes))
  const classes = [...new Set([...mapped.classes, ...found])].toSorted()
  const blocked = payloadPolicy === 'refuse-sensitive' ? SENSITIVE.filter((kind) => found.has(kind)) : []
  if (blocked.length > 0) {
    throw GATEWAY_ERRORS.privacy_policy_blocked(`the event holds ${blocked.join(', ')}`, {
      details: { blocked_classes: blocked },
    })
  }
  return await op.write(async (tx) => {
    await requireLinks(tx, op, input)
    const eventId = newId('evt')
    const at = op.now()
    const envelope = envelopeOf({
      eventId,
      tenantId: op.tenantId,
      sourceId: source.value,
      channelFamily: input.channelFamily,
      direction: input.direction,
      namespace,
      observedAt: at,
      adapterState,
      payloadPolicy,
      classes,
      links: links.value,
      given: input.given,
      metadata: metadata.value,
    })
    const kept: JsonObject = payloadPolicy === 'metadata-only' ? {} : content.value
    const event = tx.em.create(ControlEventEntity, {
      id: eventId,
      tenantId: op.tenantId,
      sourceId: source.value,
      namespace,
      envelope,
      content: kept,
      receipt: receiptOf(eventId, kept, envelope, at, input.signer),
      at,
    })
    await recordAudit(tx, op, {
      action: 'control.event_received',
      target: eventId,
      payload: { source_id: source.value, namespace, redacted: classes },
    })
    return event
  })
}

/** Attests the envelope and the stored content: text that is not stored leaves no digest that could be guessed. */
function receiptOf(eventId: string, content: Json, envelope: Json, at: Date, signer: ReceiptSigner): JsonObject {
  return {
    ...signRunReceipt(
      {
        inputHash: hashJson(content),
        outputHash: hashJson(envelope),
        versionId: eventId,
        runtimeVersion: ENVELOPE_VERSION,
        issuedAt: at,
      },
      signer,
    ),
  }
}

/**
 * Applies the named manifest to the event. Its redaction map holds whether or not the content fits its schema; only
 * content that fits makes the event more than a hint. A version never changes, so it is read before the transaction.
 */
async function readAdapter(
  op: Operation,
  { adapter, content, hasSchemaHint, schemas }: ReceiveEventInput,
): Promise<{ readonly state: AdapterState; readonly redactionMap: JsonObject }> {
  if (adapter === null) return { state: hasSchemaHint ? 'schema-hinted' : 'opaque', redactionMap: {} }
  const [stored] = await op.read((q) =>
    q
      .selectFrom('adapter_manifests')
      .select('manifest')
      .where('tenant_id', '=', op.tenantId)
      .where('adapter_id', '=', adapter.id)
      .where('version', '=', adapter.version),
  )
  const { input_schema: schema, redaction_map: map } = stored?.manifest ?? {}
  if (!isJsonObject(schema) || !isJsonObject(map)) return { state: 'schema-hinted', redactionMap: {} }
  const { problem, mismatches } = await schemas.check(op.tenantId, schema, content)
  const isFitting = problem === null && mismatches.length === 0
  return { state: isFitting ? 'manifest-declared' : 'schema-hinted', redactionMap: map }
}

async function requireLinks(
  tx: Transaction,
  op: Operation,
  { links, records }: Pick<ReceiveEventInput, 'links' | 'records'>,
): Promise<void> {
  for (const [name, id] of Object.entries(links)) {
    const kind = Object.entries(OWN_LINKS).find(([link]) => link === name)?.[1]
    if (kind === undefined || (await records.has(tx, op.tenantId, { kind, id }))) continue
    throw invalidField(`links.${name}`, 'there is no such thing', KERNEL_ERRORS.not_found)
  }
}
