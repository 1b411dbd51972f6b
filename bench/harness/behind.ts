import { openDatabase } from '../../db/kernel/database.ts'
import { openOutbox } from '../../db/kernel/outbox/outbox.ts'
import { loadSigningKeys } from '../../db/ledger/across/signing-keys.ts'
import { createTemporalClient, type TemporalClient } from '../../temporal/client.ts'
import { createWorkflows } from '../../temporal/workflows.ts'
import { call, type OpenedApi } from '../../test/support/api.ts'
import type { BenchService } from './service.ts'

/** A service's routes, and the stores behind them, for what routes cannot set up. */
export interface Behind extends OpenedApi {
  readonly temporal: TemporalClient
  /** Starts the workflow that the outbox requests. */
  readonly start: (workflowId: string) => Promise<boolean>
}

/** Opens the stores of a service for `work`, and closes them after it. */
export async function behind<T>(service: BenchService, work: (api: Behind) => Promise<T>): Promise<T> {
  const { apiUrl, databaseUrl, masterKey, temporalAddress: address } = service
  const db = await openDatabase({ url: databaseUrl, poolSize: 8, masterKey })
  const temporal = createTemporalClient({ address, namespace: 'svc', codecKey: undefined, identity: 'a benchmark' })
  const workflows = createWorkflows({ temporal, outbox: openOutbox(db), log: console })
  try {
    return await work({
      server: { services: { db, signingKeys: await loadSigningKeys(db) } },
      temporal,
      call: async (method, path, options) => await call(apiUrl, method, path, options),
      start: async (workflowId) => await workflows.start(workflowId),
    })
  } finally {
    await workflows.settle()
    await temporal.close()
    await db.close()
  }
}
