import { ADAPTER_STATES, CHANNEL_FAMILIES, PAYLOAD_POLICIES } from '../../../core/gateway/control/catalog.ts'
import { SENSITIVE_CLASSES } from '../../../core/gateway/gate/privacy/classes.ts'
import { controlOverview } from '../../../db/gateway/control/overview.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute, type Route } from '../services.ts'
import { receiveEventRoute } from './events.ts'
import { declareExportRoute, getDeclarationRoute, listDeclarationsRoute } from './exports.ts'
import { validateManifestRoute } from './manifests.ts'
import { GetControlCenterAnswer } from '../../../core/gateway/wire/control/center.ts'

const getControlCenterRoute = defineRoute({
  method: 'get',
  path: '/v1/account/api-control-center',
  operationId: 'getControlCenter',
  group: 'accounts',
  summary: 'Show the sources, adapters and declared exports',
  description:
    'Computed from the stored rows: the sources, adapters and destinations of the tenant, and the events that this service accepts.',
  auth: 'key',
  scope: 'control:read',
  namespace: 'bounded',
  answers: {
    200: envelope('Counts, and the latest of each kind', GetControlCenterAnswer),
  },
}).handle(async ({ op, services }) => {
  const { counters, sources, adapters, destinations } = await controlOverview(op, services.compiledRecords)
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
