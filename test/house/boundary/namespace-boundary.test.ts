import { givenBatch } from '../../support/people/given-batch.ts'
import { expect } from 'chai'
import { beginStage } from '../../../db/compile/jobs/stages/record-stages.ts'
import { cancelJob } from '../../../db/compile/jobs/cancel-job.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { createShareLink } from '../../../db/compile/share-links/create-share-link.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { inAllNamespaces } from '../../../db/kernel/transaction.ts'
import type { AnyTable, NamespaceFact } from '../../../db/kernel/tables/define-table.ts'
import { TABLES } from '../../../db/schema.ts'
import { givenAcceptance, givenExport, givenJob, givenReady, givenTenant, limits } from '../../support/db/given.ts'
import { givenCaptured, givenForgotten, givenObserved } from '../../support/db/given-captures.ts'
import { givenDocuments } from '../../support/people/given-documents.ts'
import { givenLife } from '../../support/people/given-life.ts'
import { givenErrands, givenLearned } from '../../support/people/given-learned.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { expectCode } from '../../support/wire/expect-code.ts'

const factOf = ({ facts }: AnyTable): NamespaceFact<string> | undefined =>
  'namespace' in facts ? facts.namespace : undefined
const isBound = (table: AnyTable): boolean => {
  const fact = factOf(table)
  return fact !== undefined && (typeof fact === 'string' || !('unbound' in fact))
}
const BOUND: readonly AnyTable[] = TABLES.filter(isBound)

describe('the boundary between namespaces', () => {
  const test = useDatabase()
  const boundTo = (op: Operation, namespace: string): Operation => ({ ...op, scopes: ['*', `namespace:${namespace}`] })

  /** Something in every table that namespaces bound. */
  async function givenThings(of: Operation): Promise<string> {
    const { job } = await givenJob(of)
    await beginStage({ ...of, scopes: null }, { jobId: job.id, stage: 'k-sample', now: new Date() })
    const { job: ready } = await givenReady({ ...of, scopes: null }, job.id)
    await givenExport(of, job.id)
    await givenAcceptance(of, job.id)
    await createShareLink(of, { kind: 'report', artifactId: job.id, days: 1, runLimit: 0 })
    await sendSql(
      test.db,
      `insert into invocation_stats (version_id, hour, tenant_id, concept_id, calls, cache_hits, failures, latency_sum_us,
         buckets, last_at) values ($1, now(), $2, $3, 1, 0, 0, 1, '{}', now())`,
      [ready.versionId, of.tenantId, ready.conceptId],
    )
    await sendSql(
      test.db,
      `insert into control_events (id, tenant_id, source_id, namespace, envelope, content, receipt, at)
       values ($1, $2, 'source', (select spec ->> 'corpus_namespace' from compile_jobs where id = $3), '{}', '{}', '{}', now())`,
      [`evt_${job.id}`, of.tenantId, job.id],
    )
    await sendSql(
      test.db,
      `insert into compile_questions (job_id, number, tenant_id, state, input, reason, answers, unanswered, asked_at, answer_by)
       values ($1, 1, $2, 'open', '"x"', 'best_fails', '[]', 1, now(), now())`,
      [job.id, of.tenantId],
    )
    await sendSql(
      test.db,
      `insert into compile_captures (tenant_id, job_id, capture_id, seq, chain_hash) values ($2, $1, 'cap_0', 1, '\\x00')`,
      [job.id, of.tenantId],
    )
    const namespace = of.scopes?.at(-1)?.replace('namespace:', '')
    await sendSql(
      test.db,
      `with settings as (insert into namespace_settings (tenant_id, namespace, settings, updated_at) values ($1, $2, '{}', now())),
         period as (insert into budget_periods (tenant_id, namespace, period, spent_micros, reserved_micros) values ($1, $2, '2026-11', 1, 1))
       insert into budget_reservations (id, tenant_id, namespace, period, micros, touched_at)
       values (gen_random_uuid(), $1, $2, '2026-11', 1, now())`,
      [of.tenantId, namespace],
    )
    await givenBatch(of, { conceptId: ready.conceptId ?? '', versionId: ready.versionId ?? '' })
    const [spec] = await sendSql<{ namespace: string }>(
      test.db,
      `select spec ->> 'corpus_namespace' as namespace from compile_jobs where id = $1`,
      [job.id],
    )
    await givenCaptured(of, { namespace: spec?.namespace ?? '' })
    await givenObserved(of, { jobId: job.id, namespace: spec?.namespace ?? '' })
    const placed = { tenantId: of.tenantId, namespace: spec?.namespace ?? '', mark: `mark of ${job.id}` }
    await givenDocuments(test.db, placed)
    await givenLife(test.db, { ...placed, artifactId: job.id })
    const free = { ...of, bounds: null, scopes: null }
    await givenLearned(free, { ...placed, artifactId: job.id })
    await givenErrands(free, { ...placed, artifactId: job.id })
    await givenForgotten({ ...of, bounds: null, scopes: null }, 'Ada Lovelace', { namespace: spec?.namespace ?? '' })
    return job.id
  }
  const givenCachedAnswer = async (tenantId: string, namespace: string) =>
    await sendSql(
      test.db,
      `insert into cached_answers (tenant_id, key, namespace, provider, model, capture_id, answer, created_at, expires_at)
       values ($1, decode(md5($2), 'hex'), $2, 'openai', 'gpt-4o', 'cap_0', '{}', now(), now() + interval '1 day')`,
      [tenantId, namespace],
    )
  const givenReference = async (tenantId: string, namespace: string) =>
    await sendSql(
      test.db,
      `insert into response_references (tenant_id, key, namespace, provider, content, size_bytes, created_at, expires_at)
       values ($1, decode(md5($2), 'hex'), $2, 'openai', null, 0, now(), now() + interval '1 day')`,
      [tenantId, namespace],
    )
  const rowsOf = async (of: Operation, { tableName }: AnyTable): Promise<readonly string[]> =>
    (
      await sendSql<{ row: string }>(
        of,
        `select row_to_json(t)::text as row from ${tableName} t where tenant_id = $1`,
        [of.tenantId],
      )
    )
      .map(({ row }) => row)
      .toSorted()

  it('is a restrictive policy on every table with the fact, and on no other', async () => {
    const rows = await sendSql<{ table: string }>(
      test.db,
      `select polrelid::regclass::text as "table" from pg_policy where polname = 'namespace' and not polpermissive`,
    )
    expect(rows.map(({ table }) => table).toSorted()).to.deep.equal(BOUND.map(({ tableName }) => tableName).toSorted())
  })

  it('has a fact, or a reason against it, on every table whose rows name a namespace or a thing within one', () => {
    const names = ['namespace', 'jobId', 'artifactId', 'versionId', 'conceptId']
    const named = (TABLES as readonly AnyTable[]).filter(({ meta }) => names.some((name) => name in meta.properties))
    expect(named.filter((table) => factOf(table) === undefined).map(({ tableName }) => tableName)).to.deep.equal([])
  })

  it('shows, changes and removes nothing of another namespace, whatever the statement', async () => {
    const { op } = await givenTenant(test.db)
    const [inside, outside] = [boundTo(op, 'inside'), boundTo(op, 'outside')]
    for (const each of [inside, outside]) await givenThings(each)
    // Forgetting, which is one of those things, empties the cache.
    for (const namespace of ['inside', 'outside']) {
      await givenCachedAnswer(op.tenantId, namespace)
      await givenReference(op.tenantId, namespace)
    }
    for (const table of BOUND) {
      const { tableName } = table
      const [all, own, foreign] = [await rowsOf(op, table), await rowsOf(inside, table), await rowsOf(outside, table)]
      expect(own.length, tableName).to.be.greaterThan(0)
      expect([...own, ...foreign].toSorted(), tableName).to.deep.equal(all)
      const undo = new Error('undo')
      await inside
        .write(async (tx) => {
          const changed = await sendSql(tx, `update ${tableName} set tenant_id = tenant_id returning 1`)
          expect(changed, tableName).to.have.length(own.length)
          throw undo
        })
        .catch((error: unknown) => expect(error).to.equal(undo))
    }
    const taken = inside.write(async (tx) => {
      await tx.query(`update compile_jobs set spec = '{"corpus_namespace": "outside"}'`)
    })
    expect(await taken.then(String, String)).to.contain('row-level security')
  })

  it('holds again after work on all namespaces, also when that work failed', async () => {
    const { op } = await givenTenant(test.db)
    const [inside, outside] = [boundTo(op, 'inside'), boundTo(op, 'outside')]
    for (const each of [inside, outside]) await givenJob(each)
    const seen = await inside.write(async (tx) => {
      const count = async () => (await sendSql(tx, 'select id from compile_jobs')).length
      const all = await inAllNamespaces(tx, 'a test', count)
      const failure = inAllNamespaces(tx, 'a test', () => Promise.reject(new Error('no room')))
      expect(await failure.catch(String)).to.equal('Error: no room')
      return [all, await count()]
    })
    expect(seen).to.deep.equal([2, 1])
  })

  it('leaves the limits of the whole tenant as they are', async () => {
    const { op } = await givenTenant(test.db)
    const [inside, outside] = [boundTo(op, 'inside'), boundTo(op, 'outside')]
    const set = limits({ running_jobs_free: 1, unfinished_exports_per_tenant: 1 })
    const first = await givenJob(inside, { limits: set })
    const waiting = await givenJob(outside, { limits: set })
    expect([first.isAdmitted, waiting.isAdmitted]).to.deep.equal([true, false])
    await expectCode('not_found', async () => await cancelJob(inside, { jobId: waiting.job.id, limits: set }))
    const { admitted } = await cancelJob(inside, { jobId: first.job.id, limits: set })
    expect(admitted).to.deep.equal([waiting.job.id])
    expect((await findJob(outside, waiting.job.id)).status).to.equal('queued')
  })
})
