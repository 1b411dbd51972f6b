import { ENVELOPE_VERSION, receiptIdOf } from '../../../core/gateway/control/envelope.ts'
import type { ReceiptSigner } from '../../../core/ledger/receipts/run-receipt.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import { receiveEvent, type ReceiveEventInput } from '../../../db/gateway/control/receive-event.ts'
import { readSettings } from '../../../db/accounts/tenants/settings.ts'
import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { contentOf, IncomingEvent, ReceiveControlEventAnswer } from '../../../core/gateway/wire/control/events.ts'
import { defineRoute, type GatewayServices } from '../services.ts'

const DAY_MS = 86_400_000

export const receiveEventRoute = defineRoute({
  method: 'post',
  path: '/v1/account/api-control-center/events',
  operationId: 'receiveControlEvent',
  group: 'accounts',
  summary: 'Record an event',
  description:
    'The content is redacted before anything is kept, wrapped in an envelope, and answered with a signed receipt that `POST /v1/receipts/verify` takes. An event costs a unit of the monthly quota, and is kept until `kept_until`; its receipt still verifies afterwards. A key that is bound to namespaces sends to these only.',
  auth: 'key',
  scope: 'control:write',
  namespace: 'bounded',
  idempotency: 'kernel',
  stores: 'records',
  bodyLimit: 'control_event_bytes',
  body: IncomingEvent,
  answers: {
    201: envelope('The event in its envelope', ReceiveControlEventAnswer),
  },
  errors: ['privacy_policy_blocked', 'not_found', 'quota_exhausted', 'busy'],
})
  .authorize(async ({ op, body }) => {
    if (body.namespace !== undefined) requireNamespace(op, body.namespace)
  })
  .handle(async ({ op, services, principal, body, whenKept }) => {
    // The schema takes no event without content.
    const content = contentOf(body) ?? {}
    const isGeneric = body.prompt === undefined && body.input === undefined && body.query === undefined
    const payloadPolicy =
      body.payload_policy ?? (isGeneric ? ('opaque-redacted-body' as const) : ('metadata-and-redacted-body' as const))
    const namespace = body.namespace ?? (await readSettings(op)).default_namespace
    const input: ReceiveEventInput = {
      sourceId: body.source_id ?? 'manual-observe',
      channelFamily: body.channel_family ?? (isGeneric ? 'custom-adapter' : 'rest-json'),
      direction: body.direction ?? 'ingress',
      namespace,
      payloadPolicy,
      content,
      hasSchemaHint: body.schema_hint !== undefined || body.content_type !== undefined,
      adapter: body.adapter_manifest
        ? { id: body.adapter_manifest.adapter_id, version: body.adapter_manifest.adapter_version }
        : null,
      links: body.links ?? {},
      metadata: metadataOf(body),
      given: [...Object.keys(body), 'content'],
      signer: await receiptSignerOf(services, op.tenantId),
      schemas: services.schemaChecks,
      records: services.compiledRecords,
    }
    const units = services.limits.quota_units_per_event
    const charge = await services.meter.take(principal, units)
    const event = await receiveEvent(op, input).catch((error: unknown) => {
      charge.refund()
      throw error
    })
    const charged = { ...chargedTo(principal), namespace }
    const record = { tenantId: op.tenantId, chargedTo: charged, units }
    whenKept(
      () => services.invocations.recordEvent(record),
      () => charge.refund(),
    )
    return {
      status: 201,
      body: {
        observation_id: event.id,
        control_event_envelope: event.envelope,
        receipt: event.receipt,
        persisted: {
          durable: true,
          at: event.at.toISOString(),
          kept_until: new Date(event.at.getTime() + services.limits.control_event_days * DAY_MS).toISOString(),
          content_kept: payloadPolicy !== 'metadata-only',
        },
      },
      headers: {
        'X-Svc-Control-Event-Envelope': ENVELOPE_VERSION,
        'X-Svc-Capture-Durable': 'true',
        'X-Svc-Receipt-Id': receiptIdOf(event.id),
      },
    }
  })

/** Returns the current keys that sign the receipts of a tenant. */
export async function receiptSignerOf(services: GatewayServices, tenantId: string): Promise<ReceiptSigner> {
  const { keyId, secret } = await services.receiptSecrets.current(tenantId)
  return { macKey: { keyId, secret }, signingKey: services.signingKeys.current }
}

function metadataOf({ provider, model, latency_ms, cost_usd, schema_hint, content_type }: IncomingEvent): JsonObject {
  return {
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(latency_ms !== undefined && { latency_ms }),
    ...(cost_usd !== undefined && { cost_usd }),
    ...(schema_hint !== undefined && { schema_hint }),
    ...(content_type !== undefined && { content_type }),
  }
}
