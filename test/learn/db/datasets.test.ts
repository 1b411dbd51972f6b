import { expect } from 'chai'
import { DEFAULT_LIMITS, type Limits } from '../../../core/limits.ts'
import { createVersion } from '../../../db/learn/datasets/create-version.ts'
import { failBuild } from '../../../db/learn/datasets/run-build.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { givenTenant } from '../../support/db/given.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { expectCode } from '../../support/wire/expect-code.ts'

describe('the versions of datasets', () => {
  const test = useDatabase()
  const make = async (op: Operation, datasetId: string | null, limits: Partial<Limits> = {}) =>
    await createVersion(op, {
      of: datasetId === null ? { namespace: 'support', name: 'tickets' } : { datasetId },
      source: { kind: 'import', captures: null, removed: [] },
      split: { train_ratio: 0.8, min_train: 0, min_holdout: 0, seed: null, is_strict: false },
      files: [],
      limits: { ...DEFAULT_LIMITS, ...limits },
      idempotency: undefined,
    })

  it('are begun one after another, within the limits of their tenant', async () => {
    const { op } = await givenTenant(test.db)
    const one = await make(op, null)
    await expectCode('dataset_building', async () => await make(op, one.datasetId))
    await expectCode('too_many_running_jobs', async () => await make(op, null, { unfinished_datasets_per_tenant: 1 }))
    await failBuild(op, one, { code: 'empty_dataset', message: 'there are no rows' })
    await expectCode('limit_reached', async () => await make(op, null, { datasets_per_tenant: 1 }))
    await expectCode('limit_reached', async () => await make(op, one.datasetId, { versions_per_dataset: 1 }))
    expect(await make(op, one.datasetId)).to.include({ version: 2 })
  })

  it('are unknown to other tenants', async () => {
    const { op } = await givenTenant(test.db)
    const { op: stranger } = await givenTenant(test.db)
    const { datasetId } = await make(op, null)
    await expectCode('not_found', async () => await make(stranger, datasetId))
  })
})
