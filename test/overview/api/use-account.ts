import { givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

/** An API without Temporal; `given` makes a tenant with its calls. */
export function useAccount() {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  async function given() {
    const tenant = await givenApiTenant(api)
    const op = setUpOperation(database.db, tenant.id)
    return {
      tenant,
      op,
      get: async (path: string) => await api.call('GET', path, { key: tenant.key }),
      send: async (method: 'PUT' | 'POST', path: string, body: unknown) =>
        await api.call(method, path, { key: tenant.key, body }),
    }
  }

  return { database, api, given }
}
