import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Limits } from '../../../../core/limits.ts'
import { systemOperation } from '../../../../db/kernel/operation.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { writeTinyBase } from '../../../support/archives/tiny-bases.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { useService } from '../../../support/workflows/service.ts'
import { CAPITALS, requestFaults, rows } from './eval-fixtures.ts'

/** A service with the base `tiny`, whose requests can fail, and a tenant that evaluates, under limits of its own. */
export function useEvals(limits: Partial<Limits> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-evals-'))
  const faults = requestFaults()
  const service = useService({ baseFolders: [folder], change: faults.change })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { baseFolders: [folder] },
    limits: { evaluation_rows: 60, ...limits },
  })
  let tenant: ApiTenant
  before(async () => {
    await writeTinyBase(folder, 'tiny')
    tenant = await givenApiTenant(api)
  })
  after(async () => await rm(folder, { recursive: true }))

  const op = () => {
    const owner = { tenantId: tenant.id, name: 'test', requestId: 'test', now: () => new Date() }
    return systemOperation(service.database.db, owner)
  }
  const start = async (body: object, key = tenant.key): Promise<Answer> =>
    await api.call('POST', '/v1/evals', {
      key,
      body: { task: CAPITALS, target: { base: 'tiny' }, data: { test: rows(6) }, ...body },
    })
  const show = async (id: string, path = '', key = tenant.key): Promise<Answer> =>
    await api.call('GET', `/v1/evals/${id}${path}`, { key })
  const finished = async (started: Answer): Promise<Answer> => {
    expect(started.status, started.text).to.equal(202)
    let answer = await show(started.body.evaluation_id)
    await eventually(async () => {
      answer = await show(started.body.evaluation_id)
      expect(answer.body.finished_at, answer.text).to.be.a('string')
    })
    return answer
  }
  return { folder, faults, service, api, tenantOf: () => tenant, op, start, show, finished }
}
