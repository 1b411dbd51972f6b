import { setUpOperation } from '../../../support/people/given-members.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant, type TestApi } from '../../../support/api.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'

/** The address of the control center. */
export const CENTER = '/v1/account/api-control-center'
/** A manifest without a fault. */
export const MANIFEST = {
  adapter_id: 'crm-bridge',
  adapter_version: '1.0.0',
  channel_family: 'webhooks',
  direction: 'ingress',
  input_schema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  output_schema: { type: 'object', properties: { answer: { type: 'string' } } },
  redaction_map: { prompt: 'pii' },
  egress_destinations: ['tenant-lake'],
  test_fixture: { prompt: 'hello' },
}

/** A server, and a tenant of its own for each test. */
export interface ControlCenter {
  readonly api: TestApi
  readonly tenant: () => ApiTenant
  readonly operation: () => Operation
  readonly send: (body: unknown, key?: string) => Promise<Answer>
  readonly validate: (body: unknown) => Promise<Answer>
}

/** Starts a server for the tests of a file. */
export function useControlCenter(): ControlCenter {
  // Calls are repeated here for as long as something lasts.
  const api = useApi({
    limits: {
      probes_per_ip_minute: 1e6,
      adapter_manifests_per_tenant: 5,
      declared_exports_per_tenant: 4,
      control_event_days: 30,
    },
  })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })
  return {
    api,
    tenant: () => tenant,
    operation: () => setUpOperation(api.server.services.db, tenant.id),
    send: async (body, key = tenant.key) => await api.call('POST', `${CENTER}/events`, { key, body }),
    validate: async (body) => await api.call('POST', `${CENTER}/adapter-manifests/validate`, { key: tenant.key, body }),
  }
}
