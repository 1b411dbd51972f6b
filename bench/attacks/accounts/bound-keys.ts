import { isDeepStrictEqual } from 'node:util'
import { findExport } from '../../../db/compile/exports/find-export.ts'
import { givenApiTenant } from '../../../test/support/api.ts'
import { givenKey } from '../../../test/support/people/given-keys.ts'
import { givenPlan, setUpOperation } from '../../../test/support/people/given-members.ts'
import { givenNamespace } from '../../../test/support/people/given-namespaces.ts'
import { eventually } from '../../../test/support/wire/eventually.ts'
import {
  BOUNDED,
  rowsOf,
  walkLists,
  walkOutside,
  walkRefused,
  type BoundKey,
  type Walk,
} from '../../../test/support/wire/walks/bound-keys.ts'
import { behind, type Behind } from '../../harness/behind.ts'
import { ROOM } from '../../harness/service.ts'
import { atLeast, atMost, type Attack } from '../attack.ts'

const NAMESPACES = ['inside', 'outside'] as const

/**
 * Walks all routes with keys that are bound to one of two namespaces of a tenant, each against what lies in the other
 * one: reads, writes, deletes and lists. The whole tenant's key has used all of it before, so that memory knows it.
 */
export const boundKeys: Attack = {
  name: 'bound-keys',
  limits: ROOM,
  run: async (service) =>
    await behind(service, async (api) => {
      const walks: Walk[] = []
      let changed = 0
      for (const bound of await givenBoundKeys(api)) {
        const { db } = api.server.services
        const before = await rowsOf(db, bound.outside)
        for (const walk of [walkRefused, walkOutside, walkLists]) walks.push(await walk(api, bound))
        if (!isDeepStrictEqual(await rowsOf(db, bound.outside), before)) changed++
      }
      const problems = walks.flatMap((walk) => walk.problems)
      for (const problem of problems) console.log(`  ${problem.slice(0, 300)}`)
      const tried = walks.flatMap((walk) => walk.tried)
      return [
        atLeast('ways tried out of a namespace', tried.length, 400),
        atLeast('bounded routes tried', new Set(tried.map((name) => name.split(' ', 1)[0])).size, BOUNDED.length / 2),
        atMost('of these, ways that led out', problems.length),
        atMost('namespaces changed from outside', changed),
      ]
    }),
}

/** A key in each of the two namespaces of a tenant, with something of each kind in both. */
async function givenBoundKeys(api: Behind): Promise<readonly BoundKey[]> {
  const { db } = api.server.services
  const tenant = await givenApiTenant(api)
  await givenPlan(db, tenant.id, 'business')
  const op = setUpOperation(db, tenant.id)
  const things = new Map<string, ReadonlyMap<string, string>>()
  for (const namespace of NAMESPACES) {
    const given = await givenNamespace(api, tenant, namespace)
    things.set(namespace, given)
    // Its workflow changes the row that is compared.
    const exportId = given.get('exp') ?? ''
    await api.start(exportId)
    await eventually(async () => {
      if (!['succeeded', 'failed'].includes((await findExport(op, exportId)).state)) throw new Error('it still runs')
    })
    for (const [field, kind] of [
      ['concept_id', 'cpt'],
      ['version_id', 'ver'],
      ['artifact_cid', 'cid'],
    ] as const) {
      const body = { [field]: given.get(kind), input: 'x' }
      const { status, text } = await api.call('POST', '/v1/run', { key: tenant.key, body })
      if (status !== 200) throw new Error(`run answered ${status}: ${text}`)
    }
  }
  const thingsOf = (namespace: string) => things.get(namespace) ?? new Map<string, string>()
  return await Promise.all(
    NAMESPACES.map(async (namespace) => {
      const otherNamespace = namespace === 'inside' ? 'outside' : 'inside'
      const scopes = ['*', `namespace:${namespace}`]
      const { key } = await givenKey(db, { tenantId: tenant.id, scopes })
      return { key, namespace, inside: thingsOf(namespace), otherNamespace, outside: thingsOf(otherNamespace) }
    }),
  )
}
