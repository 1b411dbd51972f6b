import { expect } from 'chai'
import { writeDataset } from '../../../core/compile/rows/intake/dataset.ts'
import type { Example } from '../../../core/compile/rows/intake/example.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { nextLevel } from '../../../core/learn/gate/spending.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { UPPER_PROGRAM } from '../../support/archives/archives.ts'
import { givenVersion } from '../../support/archives/signed-artifacts.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { capitals, SAME_PROGRAM } from '../workflows/gate-rows.ts'

/** Registered gates answer at once, and no worker scores them here. */
describe('gates, when they are registered', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: { holdout_uploads_per_ip_minute: 1000, unfinished_gates_per_tenant: 50 },
  })
  let tenant: ApiTenant
  let candidate: string
  let baseline: string
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
    candidate = await artifact(UPPER_PROGRAM)
    baseline = await artifact(SAME_PROGRAM)
  })
  const artifact = async (recipe: JsonObject): Promise<string> =>
    (
      await givenVersion(setUpOperation(database.db, tenant.id), {
        recipe: { kind: 'program', recipe },
        training: null,
      })
    ).jobId
  const call = async (method: string, path: string, body?: unknown, key = tenant.key): Promise<Answer> =>
    await api.call(method, path, { key, ...(body !== undefined && { body }) })
  const store = async (corpusId: string, rows: readonly unknown[], more: object = {}): Promise<Answer> =>
    await call('POST', '/v1/eval/tenant_holdout', { corpus_id: corpusId, rows, ...more })
  const gate = async (body: object): Promise<Answer> =>
    await call('POST', '/v1/eval/gate', { candidate_artifact: candidate, baseline_artifact: baseline, ...body })
  const registered = async (body: object) => {
    const answer = await gate(body)
    expect(answer.status, answer.text).to.equal(202)
    return answer.body.registration
  }
  const learnedFrom = async (id: string, examples: readonly Example[]): Promise<void> => {
    const given = async function* (): AsyncGenerator<Example> {
      yield* await Promise.resolve(examples)
    }
    const { sha256 } = await putBlob(database.db, writeDataset(given()).chunks)
    await sendSql(database.db, 'update compile_jobs set dataset_sha256 = $2 where id = $1', [id, sha256])
  }
  const specify = async (id: string, facts: object): Promise<void> => {
    await sendSql(database.db, 'update compile_jobs set spec = (spec::jsonb || $2::jsonb)::json where id = $1', [
      id,
      JSON.stringify(facts),
    ])
  }
  const distilledFrom = async (id: string, student: string | null, teacher: string | null): Promise<void> => {
    const distil = { student: { base: 'b', artifact_id: student }, teacher: { base: 'b', artifact_id: teacher } }
    await specify(id, { distil })
  }
  const positive = (input: string): Example => ({ kind: 'positive', row: { id: input, input, output: input } })

  it('leave out rows of any kind that the artifacts learned from, or the adapters that these continued or asked', async () => {
    const [start, teacher] = [await artifact(UPPER_PROGRAM), await artifact(SAME_PROGRAM)]
    await learnedFrom(start, [
      positive('start'),
      { kind: 'positive', row: { id: 'row_2', input: 'test', output: 'TEST', kind: 'test' } },
      { kind: 'negative', negative: { id: 'row_3', input: 'negative', notOutput: 'x' } },
      { kind: 'unlabelled', unlabelled: { id: 'row_4', input: 'unlabelled' } },
    ])
    await learnedFrom(teacher, [positive('teacher')])
    const between = await artifact(UPPER_PROGRAM)
    await learnedFrom(between, [positive('between')])
    await distilledFrom(between, start, teacher)
    await learnedFrom(candidate, [positive('own')])
    await distilledFrom(candidate, between, null)
    const inputs = ['start', 'test', 'negative', 'unlabelled', 'teacher', 'between', 'own', 'unseen']
    const { data, ...sides } = await registered({ rows: inputs.map((input) => ({ input, output: input })) })
    expect(data).to.deep.include({ rows: 2, learned_rows_left_out: 6 })
    expect([sides.candidate.examples, sides.baseline.examples]).to.deep.equal(['kept', 'kept'])
    await store('of-the-start', [...capitals(30), { input: 'Negative', output: 'x' }])
    const refused = await gate({ corpus_id: 'of-the-start' })
    expect([refused.body.code, refused.body.details]).to.deep.equal(['sealed_rows', { count: 1 }])
  })

  it('take no holdout that has half of the rows of a revealed one, whose rows are never sealed again', async () => {
    for (const namespace of ['sales', 'support']) {
      expect((await store(`of-${namespace}`, capitals(40), { namespace })).status).to.equal(201)
    }
    const bound = ['eval:read', 'eval:write', 'artifacts:read', 'namespace:support']
    const { key } = await givenKey(database.db, { tenantId: tenant.id, scopes: bound })
    await call('POST', '/v1/eval/tenant_holdout/of-sales/reveal', {})
    for (const id of [candidate, baseline]) await specify(id, { corpus_namespace: 'support' })
    const sides = { candidate_artifact: candidate, baseline_artifact: baseline }
    for (const caller of [tenant.key, key]) {
      const answer = await call('POST', '/v1/eval/gate', { ...sides, corpus_id: 'of-support' }, caller)
      expect([answer.status, answer.body.code], answer.text).to.deep.equal([409, 'holdout_revealed'])
    }
    const again = await store('again', capitals(40, 20))
    expect([again.status, again.body.code]).to.deep.equal([409, 'holdout_revealed'])
    await call('DELETE', '/v1/eval/tenant_holdout/of-sales')
    expect((await store('again', capitals(20))).body.code).to.equal('holdout_revealed')
    expect((await store('again', capitals(40, 100))).status).to.equal(201)
  })

  it('take a holdout with few revealed rows, and none that repeats what was revealed, with one holdout or several', async () => {
    await store('large', capitals(40))
    // A part of the large one is the same corpus, and revealing it shows too few rows to decide a gate.
    await store('part', capitals(4, 10))
    await call('POST', '/v1/eval/tenant_holdout/part/reveal', {})
    expect((await registered({ corpus_id: 'large' })).data.rows).to.equal(40)
    for (const [name, from] of [
      ['other', 100],
      ['third', 115],
    ] as const) {
      await store(name, capitals(15, from))
      await call('POST', `/v1/eval/tenant_holdout/${name}/reveal`, {})
    }
    const around = await store('around', capitals(40, 123))
    expect([around.status, around.body.code], around.text).to.deep.equal([201, undefined])
    for (const [name, rows] of [
      ['most-of-one', capitals(40, 122)],
      ['parts-of-both', [...capitals(14, 108), ...capitals(14, 200)]],
      ['all-shown', capitals(4, 100)],
    ] as const) {
      const refused = await store(name, rows)
      expect([refused.status, refused.body.code], name).to.deep.equal([409, 'holdout_revealed'])
    }
  })

  it('count those of other namespaces in the level that a bound key sees', async () => {
    for (const namespace of ['sales', 'support']) await store(`of-${namespace}`, capitals(40), { namespace })
    const scopes = ['eval:read', 'namespace:support']
    const { key } = await givenKey(database.db, { tenantId: tenant.id, scopes })
    const shown = async (caller: string) => {
      const { attempts, next_level: level } = (
        await call('GET', '/v1/eval/tenant_holdout/of-support', undefined, caller)
      ).body
      return [attempts, level]
    }
    expect(await shown(key)).to.deep.equal([0, nextLevel(0.05, []).level])
    await registered({ corpus_id: 'of-sales' })
    const after = [1, nextLevel(0.05, [false]).level]
    expect([await shown(key), await shown(tenant.key)]).to.deep.equal([after, after])
  })

  it('count earlier ones of the same artifacts on the same rows, in whatever order', async () => {
    const rows = capitals(10, 100)
    expect(await registered({ rows })).to.deep.include({ attempt: 1 })
    expect(await registered({ rows: rows.toReversed(), alpha: 0.01 })).to.deep.include({ attempt: 2 })
    expect(await registered({ rows: capitals(11, 100) })).to.deep.include({ attempt: 1 })
    expect(await registered({ rows, baseline_artifact: candidate, candidate_artifact: baseline })).to.include({
      attempt: 1,
    })
    expect(await registered({ rows })).to.deep.include({ attempt: 3 })
  })

  it('compare two artifacts: none is candidate and baseline', async () => {
    await store('own', capitals(40))
    for (const data of [{ corpus_id: 'own' }, { rows: capitals(40, 100) }]) {
      const answer = await gate({ ...data, baseline_artifact: candidate })
      expect([answer.status, answer.body.details?.fields[0].field], answer.text).to.deep.equal([
        400,
        'baseline_artifact',
      ])
    }
    expect((await call('GET', '/v1/eval/tenant_holdout/own')).body.attempts).to.equal(0)
  })

  it('score two artifacts without rows on those of kind test of both compiles, and never compare their K-scores', async () => {
    const none = await gate({})
    expect([none.status, none.body.code, none.body.details?.fields?.[0].field], none.text).to.deep.equal([
      400,
      'no_rows',
      'rows',
    ])
    const test = (input: string): Example => ({
      kind: 'positive',
      row: { id: input, input, output: input.toUpperCase(), kind: 'test' },
    })
    await learnedFrom(candidate, [positive('own'), test('first'), test('second')])
    await learnedFrom(baseline, [positive('second'), test('first'), test('third'), test('own')])
    const { data } = await registered({})
    expect(data).to.deep.include({ rows: 2, learned_rows_left_out: 2 })
    await sendSql(database.db, 'update compile_jobs set dataset_sha256 = null where id = $1', [candidate])
    const sides = { candidate: { artifact_id: candidate }, baseline: { artifact_id: baseline } }
    const kept = await call('POST', '/v1/eval/gate', sides)
    expect([kept.status, kept.body.registration?.data.rows], kept.text).to.deep.equal([202, 3])
    const classes = { ...sides, candidate: { artifact_id: candidate, regression_classes: ['dates'] } }
    const refused = await call('POST', '/v1/eval/gate', classes)
    expect(refused.body.details.fields[0].field, refused.text).to.equal('candidate.regression_classes')
    const posted = await call('POST', '/v1/eval/gate', { ...sides, baseline: { k_score: 0.5 } })
    expect([posted.status, posted.body.mode, posted.body.measured]).to.deep.equal([200, 'point', false])
    await sendSql(database.db, 'update compile_jobs set dataset_sha256 = null where id = $1', [baseline])
    const gone = await call('POST', '/v1/eval/gate', sides)
    expect([gone.status, gone.body.code, gone.body.error], gone.text).to.deep.equal([
      410,
      'rows_expired',
      'baseline.artifact_id: the rows of this compile are no longer kept',
    ])
  })

  it('show the evidence of the rows scored so far, and none on a sealed holdout', async () => {
    await store('sealed', capitals(40, 1000))
    const score = async (body: object) => {
      const { gate_id: id } = (await gate(body)).body
      const results = Buffer.from([1, 1, 0, 1, 2, 3])
      await sendSql(database.db, `update gates set state = 'running', results = $2 where id = $1`, [id, results])
      return (await call('GET', `/v1/eval/gates/${id}`)).body
    }
    const { outcome, ...running } = await score({ rows: capitals(100, 100) })
    expect(running).to.include({ state: 'running', decision: null, finished_at: null })
    expect(outcome).to.deep.include({ ended_by: null, rows_scored: 6, rows_given: 100, won: 3, lost: 1 })
    expect(outcome.path.at(-1)).to.deep.equal({
      rows: 6,
      evidence: outcome.evidence,
      against: outcome.evidence_against,
    })
    expect((await score({ corpus_id: 'sealed' })).outcome).to.equal(null)
  })

  it('say that examples are not kept where those of one adapter behind an artifact are gone', async () => {
    const start = await artifact(UPPER_PROGRAM)
    await distilledFrom(candidate, start, null)
    expect((await registered({ rows: capitals(3) })).candidate.examples).to.equal('kept')
    await sendSql(database.db, 'update compile_jobs set dataset_sha256 = null where id = $1', [start])
    expect((await registered({ rows: capitals(3) })).candidate.examples).to.equal('not_kept')
    await distilledFrom(candidate, 'cmp_0123456789abcdefghjkmnpqrs', null)
    expect((await registered({ rows: capitals(3) })).candidate.examples).to.equal('not_kept')
  })
})
