import { z } from 'zod'
import { ADAPTER_STATES, CHANNEL_FAMILIES, PAYLOAD_POLICIES } from '../../../core/gateway/control/catalog.ts'
import { SENSITIVE_CLASSES } from '../../../core/gateway/control/redaction/classes.ts'
import { controlOverview } from '../../../db/gateway/control/overview.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute, type Route } from '../services.ts'
import { receiveEventRoute } from './events.ts'
import { declareExportRoute, getDeclarationRoute, listDeclarationsRoute } from './exports.ts'
import { validateManifestRoute } from './manifests.ts'

const getControlCenterRoute = defineRoute({
  method: 'get',
  path: '/v1/account/api-control-center',
  operationId: 'getControlCenter',
  group: 'accounts',
  summary: 'What comes in and what was declared to go out',
  description: 'Computed from what is stored: the own sources, adapters and destinations, and what this service takes.',
  auth: 'key',
  scope: 'control:read',
  namespace: 'bounded',
  answers: {
    200: envelope(
      'Counts, and the latest of each kind',
      z.object({
        counters: z.object({
          observed_events: z.int(),
          adapters: z.int(),
          declared_exports: z.int(),
          compile_jobs: z.int(),
          artifacts: z.int(),
        }),
        posture: z.object({
          capture: z.string(),
          egress: z.string(),
          unknown_payloads: z.string(),
          redacted_classes: z.array(z.string()),
        }),
        intake: z.object({
          routes: z.array(z.string()),
          channel_families: z.array(z.string()),
          payload_policies: z.array(z.string()),
          adapter_states: z.array(z.string()),
        }),
        sources: z.array(
          z.object({
            source_id: z.string(),
            namespace: z.string(),
            channel_family: z.string(),
            events: z.int(),
            last_seen_at: z.iso.datetime(),
          }),
        ),
        adapters: z.array(
          z.object({ adapter_id: z.string(), adapter_version: z.string(), validated_at: z.iso.datetime() }),
        ),
        destinations: z.array(
          z.object({
            destination_id: z.string(),
            destination_class: z.string(),
            declarations: z.int(),
            last_declared_at: z.iso.datetime(),
          }),
        ),
      }),
    ),
  },
}).handle(async ({ op }) => {
  const { counters, sources, adapters, destinations } = await controlOverview(op)
  return {
    status: 200,
    body: {
      counters: {
        observed_events: counters.events,
        adapters: counters.adapters,
        declared_exports: counters.declarations,
        compile_jobs: counters.compileJobs,
        artifacts: counters.artifacts,
      },
      posture: {
        capture: 'metadata-and-redacted-body',
        egress: 'nothing-leaves',
        unknown_payloads: 'accepted-opaque',
        redacted_classes: [...SENSITIVE_CLASSES],
      },
      intake: {
        routes: [`POST ${receiveEventRoute.path}`],
        channel_families: [...CHANNEL_FAMILIES],
        payload_policies: [...PAYLOAD_POLICIES],
        adapter_states: [...ADAPTER_STATES],
      },
      sources: sources.map((source) => ({
        source_id: source.sourceId,
        namespace: source.namespace,
        channel_family: source.channelFamily,
        events: source.events,
        last_seen_at: source.lastSeenAt.toISOString(),
      })),
      adapters: adapters.map((adapter) => ({
        adapter_id: adapter.adapterId,
        adapter_version: adapter.version,
        validated_at: adapter.createdAt.toISOString(),
      })),
      destinations: destinations.map((destination) => ({
        destination_id: destination.destinationId,
        destination_class: destination.destinationClass,
        declarations: destination.declarations,
        last_declared_at: destination.lastDeclaredAt.toISOString(),
      })),
    },
  }
})

/** The control center: events in, adapters, exports that were declared. */
export const CONTROL_ROUTES: readonly Route[] = [
  getControlCenterRoute,
  validateManifestRoute,
  receiveEventRoute,
  listDeclarationsRoute,
  declareExportRoute,
  getDeclarationRoute,
]
