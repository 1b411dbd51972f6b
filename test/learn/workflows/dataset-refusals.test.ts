import { expect } from 'chai'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { useService } from '../../support/workflows/service.ts'
import { datasetCalls, inlineRows } from './dataset-calls.ts'

describe('datasets, where they refuse', () => {
  const service = useService({ change: (deps) => ({ ...deps, limits: { ...deps.limits, dataset_rows: 8 } }) })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  const { call, post, upload, capture } = datasetCalls(api, () => tenant)

  it('name versions and captures that do not exist', async () => {
    const [known] = await capture('named', [
      ['first question', 'yes'],
      ['second question', 'no'],
    ])
    const made = await post('/v1/datasets', { namespace: 'named', capture_ids: [known.id] })
    expect(made.row_count).to.equal(1)
    const diff = async (query: string) => await call('GET', `/v1/datasets/${made.dataset_id}/diff?${query}`)
    expect((await diff('version=99')).status).to.equal(404)
    expect((await diff('version=1')).body).to.deep.include({ from: 1, to: 1 })
    expect((await diff('version=1&to=1')).body.error).to.match(/^version: /)
    const unknown = 'cap_0123456789abcdefghjkmnpqrs'
    const [created, imported, unused] = [
      await call('POST', '/v1/datasets', { namespace: 'named', capture_ids: [known.id, unknown] }),
      await call('POST', `/v1/datasets/${made.dataset_id}/import`, { from_captures: true, capture_ids: [unknown] }),
      await call('POST', '/v1/datasets', { namespace: 'named', rows: inlineRows(0, 4), capture_ids: [known.id] }),
    ]
    expect([created.status, created.body.details]).to.deep.equal([404, { field: 'capture_ids', unknown: [unknown] }])
    expect(imported.status, imported.text).to.equal(404)
    expect([unused.status, unused.body.error]).to.satisfy(
      ([status, error]: [number, string]) => status === 400 && error.startsWith('capture_ids: '),
    )
  })

  it('take the documented names of choices, and refuse members that they do not know', async () => {
    const [first, second] = await capture('aliases', [
      ['which parcel is mine', 'shipping'],
      ['where is the invoice', 'billing'],
    ])
    const approved = await call('POST', `/v1/captures/${first.id}/review`, { action: 'approve' })
    expect(approved.status, approved.text).to.equal(200)
    const make = async (choices: object) => await call('POST', '/v1/datasets', { namespace: 'aliases', ...choices })
    for (const [choices, count] of [
      [{ approvedOnly: true }, 1],
      [{ includeApproved: false }, 1],
      [{ fromEventIds: [second.id] }, 1],
      [{ sourceType: 'real' }, 2],
    ] as const) {
      const made = await make(choices)
      expect([made.status, made.body.row_count], made.text).to.deep.equal([201, count])
    }
    for (const [choices, field] of [
      [{ approvedOnly: true, approved_only: false }, 'approvedOnly'],
      [{ approvedOnly: true, includeApproved: false }, 'includeApproved'],
      [{ fromEventIds: [first.id], capture_ids: [first.id] }, 'fromEventIds'],
      [{ redactionPolicy: 'redact' }, 'redactionPolicy'],
      [{ sourceType: 'synthetic' }, 'sourceType'],
    ] as const) {
      const refused = await make(choices)
      expect([refused.status, refused.body.details.fields[0].field], refused.text).to.deep.equal([400, field])
    }
    for (const [path, body, field] of [
      ['/v1/cloud/distill/submit', { corpus_url: 'https://example.org/rows' }, 'corpus_url'],
      ['/v1/cloud/distill/submit', { training_file_id: 'file-1' }, 'training_file_id'],
      ['/v1/distill/from-captures', { epochs: 3 }, 'epochs'],
      ['/v1/distill/from-captures', { min_pairs: 5001 }, 'min_pairs'],
      ['/v1/eval/gate', { candidate: { k_score: 0.9, score: 1 } }, 'candidate.score'],
      ['/v1/eval/gate', { candidate: { k_score: 0.9 }, thresholds: { min_delta: 0 } }, 'thresholds.min_delta'],
    ] as const) {
      const refused = await call('POST', path, body)
      expect([refused.status, refused.body.details.fields[0].field], refused.text).to.deep.equal([400, field])
    }
  })

  it('have the least rows of each side, or are not built', async () => {
    for (const [least, field] of [
      [{ min_train: 50, min_holdout: 50 }, 'min_train'],
      [{ min_train: 2, min_holdout: 1 }, 'min_holdout'],
    ] as const) {
      const made = await call('POST', '/v1/datasets', { namespace: 'least', rows: inlineRows(0, 2), ...least })
      expect([made.status, made.body.code, made.body.details.fields[0].field], made.text).to.deep.equal([
        400,
        'dataset_split_error',
        field,
      ])
    }
    const made = await post('/v1/datasets', {
      namespace: 'least',
      rows: inlineRows(0, 4),
      min_train: 2,
      min_holdout: 2,
    })
    expect(made).to.include({ train_count: 2, holdout_count: 2 })
  })

  it('have at most as many rows as a dataset may have', async () => {
    const made = await call('POST', '/v1/datasets', { namespace: 'many', rows: inlineRows(0, 9) })
    expect([made.status, made.body.code], made.text).to.deep.equal([400, 'too_many_rows'])
    expect(made.body.error).to.contain('8')
    expect((await call('POST', '/v1/datasets', { namespace: 'many', rows: inlineRows(0, 8) })).status).to.equal(201)
  })

  it('hold no row of a sealed holdout, whether it comes from captures or from a file', async () => {
    const body = { rows: inlineRows(4000, 6) }
    await post('/v1/eval/tenant_holdout', { corpus_id: 'kept', rows: body.rows.slice(0, 2) })
    await capture('sealed', [
      ['question number 4000', 'yes'],
      ['something else', 'no'],
    ])
    const captured = await call('POST', '/v1/datasets', { namespace: 'sealed' })
    expect([captured.status, captured.body.code], captured.text).to.deep.equal([400, 'sealed_rows'])
    const file = body.rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    const uploaded = await upload({ 'rows.jsonl': file }, { namespace: 'sealed' })
    expect([uploaded.status, uploaded.body.code], uploaded.text).to.deep.equal([400, 'sealed_rows'])
  })
})
