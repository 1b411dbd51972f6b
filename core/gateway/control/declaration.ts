import { hashJson, isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { redactionResult } from './redaction/marks.ts'
import { redact } from './redaction/redact.ts'

/** Version of the ledger's form. */
export const LEDGER_VERSION = 'svc-delivery-ledger-1'

/** Declarations that an export requires before data may leave. */
export const REQUIRED_DECLARATIONS = [
  'export_mode',
  'destination',
  'destination_class',
  'processor',
  'payload_class',
  'redaction_mode',
  'payload',
] as const

/** The modes that are known by name; any other is noted as the tenant's own. */
const EXPORT_MODES: readonly string[] = [
  'provider-response',
  'stream-response',
  'webhook-delivery',
  'batch-export',
  'otel-export',
  'warehouse-export',
  'ticketing-export',
  'package-release',
  'governance-packet',
  'verifier-receipt',
]

/** A declaration as it was read. */
export interface Declaration {
  readonly destinationId: string
  readonly destinationClass: string
  readonly missing: readonly string[]
  /** Ledger entry of the delivery; it holds only a digest of the redacted content. */
  readonly ledger: JsonObject
}

/** Reads a tenant's declarations about an export. Deterministic. */
export function readDeclaration(
  given: JsonObject,
  facts: { readonly exportId: string; readonly declaredAt: Date },
): Declaration {
  const payload = given['payload'] ?? given['evidence']
  const redacted = redact(payload ?? null)
  const missing = REQUIRED_DECLARATIONS.filter((name) => {
    if (name === 'payload') return payload === undefined || payload === null
    return textOf(given[name]) === null && !(name === 'destination' && isJsonObject(given[name]))
  })
  const destination = given['destination']
  const named = isJsonObject(destination) ? destination : { id: destination ?? null }
  const destinationId = textOf(named['id'] ?? named['connector_ref']) ?? ''
  const destinationClass = textOf(given['destination_class']) ?? ''
  const withId = destinationId === '' && !missing.includes('destination') ? [...missing, 'destination.id'] : missing
  const body = facts.exportId.slice(facts.exportId.indexOf('_') + 1)
  const mode = textOf(given['export_mode'])
  return {
    destinationId,
    destinationClass,
    missing: withId,
    ledger: {
      version: LEDGER_VERSION,
      export_id: facts.exportId,
      delivery_ledger_id: `dled_${body}`,
      policy_decision_id: `pol_${body}`,
      destination: {
        id: destinationId,
        class: destinationClass,
        system: textOf(named['type'] ?? named['system']),
        connector_ref: textOf(named['connector_ref']),
      },
      processor: textOf(given['processor']),
      payload_class: textOf(given['payload_class']),
      payload_sha256: payload === undefined || payload === null ? null : hashJson(redacted.value),
      export_mode: mode,
      export_mode_status: mode !== null && EXPORT_MODES.includes(mode) ? 'catalog' : 'custom',
      redaction_mode: textOf(given['redaction_mode']),
      redaction_result: redactionResult(redacted.classes),
      status: withId.length === 0 ? 'declared_not_delivered' : 'missing_declarations',
      declared_at: facts.declaredAt.toISOString(),
      required_declarations: { required: [...REQUIRED_DECLARATIONS], missing: [...withId] },
    },
  }
}

function textOf(value: Json | undefined): string | null {
  // The database has no place for U+0000 in a text.
  if (typeof value !== 'string' || value.trim() === '' || value.includes('\u0000')) return null
  return redact(value).value.slice(0, 200)
}
