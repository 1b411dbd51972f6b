import type { JsonObject } from '../../kernel/json/json.ts'
import type { AdapterState, ChannelFamily, Direction, LinkName, PayloadPolicy } from './catalog.ts'
import { redactionResult } from './redaction/marks.ts'

/** Version of the envelope's form. */
export const ENVELOPE_VERSION = 'svc-control-event-envelope-1'

/** Facts of an event at intake. */
export interface EventFacts {
  readonly eventId: string
  readonly tenantId: string
  readonly sourceId: string
  readonly channelFamily: ChannelFamily
  readonly direction: Direction
  readonly namespace: string
  readonly observedAt: Date
  readonly adapterState: AdapterState
  readonly payloadPolicy: PayloadPolicy
  /** Redacted classes: recognised kinds, and classes that the adapter's map names. */
  readonly classes: readonly string[]
  readonly links: Readonly<Partial<Record<LinkName, string>>>
  /** Fields that the source gave by itself; the others have their defaults. */
  readonly given: readonly string[]
  readonly metadata: JsonObject
}

/** Fields that a source should give. */
const REQUIRED = ['source_id', 'channel_family', 'direction', 'namespace', 'payload_policy', 'content'] as const

/** The canonical envelope of an event: everything about it but its content. Deterministic. */
export function envelopeOf(facts: EventFacts): JsonObject {
  const body = facts.eventId.slice(facts.eventId.indexOf('_') + 1)
  return {
    version: ENVELOPE_VERSION,
    event_id: facts.eventId,
    tenant_id: facts.tenantId,
    source_id: facts.sourceId,
    channel_family: facts.channelFamily,
    direction: facts.direction,
    namespace: facts.namespace,
    observed_at: facts.observedAt.toISOString(),
    schema_status: facts.adapterState,
    adapter_state: facts.adapterState,
    payload_policy: facts.payloadPolicy,
    redaction_result: redactionResult(facts.classes),
    retention_class: 'tenant-default',
    policy_decision_id: `pol_${body}`,
    receipt_id: receiptIdOf(facts.eventId),
    optional_links: { ...facts.links },
    metadata: facts.metadata,
    required_field_status: {
      present: REQUIRED.filter((field) => facts.given.includes(field)),
      missing: REQUIRED.filter((field) => !facts.given.includes(field)),
    },
    secret_values_included: false,
  }
}

/** The id of the receipt of an event: the event's own, under another prefix. */
export function receiptIdOf(eventId: string): string {
  return `rcpt_${eventId.slice(eventId.indexOf('_') + 1)}`
}
