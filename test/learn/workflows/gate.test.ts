import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Context } from '@temporalio/activity'
import { expect } from 'chai'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { registrationHash } from '../../../core/learn/gate/registration.ts'
import { nextLevel } from '../../../core/learn/gate/spending.ts'
import { toJwk, trustKeys } from '../../../core/ledger/keys/jwk.ts'
import { verifyReceiptOffline } from '../../../core/ledger/receipts/verify-receipt.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { UPPER_PROGRAM } from '../../support/archives/archives.ts'
import { givenAdapterArtifact, givenVersion } from '../../support/archives/signed-artifacts.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { useService } from '../../support/workflows/service.ts'
import { CANARY, capitals, SAME_PROGRAM, sames } from './gate-rows.ts'

describe('gates that are measured', () => {
  let faults = 0
  const service = useService({
    change: (deps) => ({
      ...deps,
      now: () => {
        endHere()
        return new Date()
      },
    }),
  })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    limits: {
      holdout_uploads_per_ip_minute: 1000,
      unfinished_gates_per_tenant: 1,
      gate_rows: 600,
      holdout_attempts: 3,
    },
  })

  /** Ends the first attempt at the next gate after its rows were scored. */
  function endHere(): void {
    const info = activityInfo()
    if (faults === 0 || info?.activityType !== 'scoreGate' || info.attempt > 1) return
    faults--
    if (faults === 0) throw KERNEL_ERRORS.store_unavailable('the process ended')
  }

  let tenant: ApiTenant
  let candidate: string
  let baseline: string
  before(async () => {
    tenant = await givenApiTenant(api)
    const op = setUpOperation(service.database.db, tenant.id)
    const of = async (recipe: JsonObject) =>
      (await givenVersion(op, { recipe: { kind: 'program', recipe }, training: null })).jobId
    candidate = await of(UPPER_PROGRAM)
    baseline = await of(SAME_PROGRAM)
  })
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> =>
    await api.call(method, path, { key: tenant.key, ...(body !== undefined && { body }) })
  const store = async (corpusId: string, rows: readonly unknown[]): Promise<void> => {
    const answer = await call('POST', '/v1/eval/tenant_holdout', { corpus_id: corpusId, rows })
    expect(answer.status, answer.text).to.equal(201)
  }
  const gate = async (body: object): Promise<Answer> =>
    await call('POST', '/v1/eval/gate', { candidate_artifact: candidate, baseline_artifact: baseline, ...body })
  const decided = async (body: object) => {
    const answer = await gate(body)
    expect(answer.status, answer.text).to.equal(202)
    const { gate_id: id } = answer.body
    return await ended(id)
  }
  const ended = async (id: string) => {
    let { body } = await call('GET', `/v1/eval/gates/${id}`)
    await eventually(async () => {
      body = (await call('GET', `/v1/eval/gates/${id}`)).body
      expect(body.finished_at).not.to.equal(null)
    })
    return body
  }

  it('answer promote or not on a sealed holdout, and nothing else', async () => {
    await store('sealed', [...capitals(60), ...sames(20, 60)])
    const done = await decided({ corpus_id: 'sealed' })
    expect(done).to.deep.include({
      mode: 'sealed',
      state: 'succeeded',
      decision: 'promote',
      promote: true,
      outcome: null,
    })
    expect(done.registration).to.deep.include({ attempt: 1, alpha: 0.05, level: nextLevel(0.05, []).level })
    expect(JSON.stringify(done)).not.to.match(/"(won|lost|candidate_right|p_value|evidence)"/)
    const history = await recordHistory(service.temporal, 'gate-sealed', done.gate_id)
    expect(history).not.to.include(CANARY).and.not.to.include(Buffer.from(CANARY).toString('base64').slice(0, 8))
    const [row] = await sendSql<{ readonly results: unknown }>(
      service.database.db,
      'select results from gates where id = $1',
      [done.gate_id],
    )
    expect(row?.results).to.equal(null)
  })

  it('stand in the ledger before a row is scored, and in a receipt that is checked offline', async () => {
    const op = setUpOperation(service.database.db, tenant.id)
    await store('ledger', capitals(40, 1000))
    const done = await decided({ corpus_id: 'ledger' })
    const registered = await expectAudited(op, 'gate.registered', done.gate_id)
    expect(registered.payload).to.deep.include({ registration_hash: done.registration_hash })
    expect(registrationHash(done.registration)).to.equal(done.registration_hash)
    const ended = await expectAudited(op, 'gate.decided', done.gate_id)
    expect(ended.at.getTime()).to.be.at.least(registered.at.getTime())
    const { receipt } = done
    expect(receipt).to.deep.include({
      spec: 'svc-gate-1',
      decision: 'promote',
      registration_hash: done.registration_hash,
      data_root: done.registration.data.root,
      attempt: 1,
      rows: 40,
    })
    const online = await call('POST', '/v1/receipts/verify', { receipt })
    expect(online.body, online.text).to.deep.include({ verified: true, kind: 'gate' })
    const graph = async (body: object) => (await call('POST', '/v1/artifacts/dependency-graph', body)).body
    const { nodes, edges, blast_radius: radius } = await graph({ artifact_id: candidate, changed: [baseline] })
    const node = nodes.find(({ id }: { id: string }) => id === done.gate_id)
    expect(node).to.deep.include({ type: 'gate', label: 'promote by a gate on 40 rows' })
    expect(node.facts).to.include({ mode: 'sealed', attempt: 1, registration_hash: done.registration_hash })
    expect(edges).to.deep.include({ from: done.gate_id, to: candidate, type: 'depends_on', via: 'candidate' })
    expect(radius.affected_nodes).to.include(done.gate_id)
    expect((await graph({ changed: [done.gate_id] })).blast_radius).to.deep.include({ affected_artifacts: [] })
    const keys = trustKeys([toJwk(service.deps.signer.publicKey)])
    expect(verifyReceiptOffline(receipt, keys)).to.deep.include({ verified: true, kind: 'gate' })
    expect(verifyReceiptOffline({ ...receipt, decision: 'block' }, keys).verified).to.equal(false)
  })

  it('spend alpha over the tree of answers, under any name of the corpus, until it is exhausted', async () => {
    await store('spent', sames(30, 2000))
    const first = await decided({ corpus_id: 'spent' })
    expect([first.decision, first.registration.attempt]).to.deep.equal(['block', 1])
    expect((await call('DELETE', '/v1/eval/tenant_holdout/spent')).status).to.equal(200)
    await store('renamed', capitals(40, 2015))
    const second = await decided({ corpus_id: 'renamed' })
    expect(second.registration).to.deep.include({ attempt: 2, level: nextLevel(0.05, [false]).level })
    expect(second.decision).to.equal('promote')
    const third = await decided({ corpus_id: 'renamed' })
    expect(third.registration).to.deep.include({
      attempt: 3,
      promotions: 1,
      level: nextLevel(0.05, [false, true]).level,
    })
    const over = await gate({ corpus_id: 'renamed' })
    expect([over.status, over.body.code]).to.deep.equal([409, 'holdout_exhausted'])
    await store('small', capitals(4, 3000))
    expect((await gate({ corpus_id: 'small' })).body.code).to.equal('holdout_exhausted')
  })

  it('take no revealed holdout, no unknown one and no second attempt beside one under way', async () => {
    await store('revealed', capitals(30, 4000))
    await call('POST', '/v1/eval/tenant_holdout/revealed/reveal', {})
    expect((await gate({ corpus_id: 'revealed' })).body.code).to.equal('holdout_revealed')
    expect((await gate({ corpus_id: 'unknown' })).status).to.equal(404)
    const other = await givenApiTenant(api)
    const body = { candidate_artifact: candidate, baseline_artifact: baseline, rows: capitals(3) }
    expect((await api.call('POST', '/v1/eval/gate', { key: other.key, body })).status).to.equal(404)
    for (const [change, field] of [
      [{ baseline_artifact: undefined, rows: capitals(3) }, 'baseline_artifact'],
      [{ rows: [] }, 'rows'],
      [{ rows: [{ input: 'x' }] }, 'rows[0].output'],
      [{ corpus_id: 'revealed', rows: capitals(3) }, 'corpus_id'],
      [{ corpus_id: 'revealed', alpha: 0.2 }, 'alpha'],
      [{ corpus_id: 'revealed', baseline_artifact: candidate }, 'baseline_artifact'],
    ] as const) {
      const answer = await gate(change)
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.body.details.fields[0].field).to.equal(field)
    }
    const unseen = await api.call('GET', `/v1/eval/gates/gat_${'0'.repeat(26)}`, { key: tenant.key })
    expect(unseen.status).to.equal(404)
  })

  it('refuse a holdout with rows that an artifact learned from, and leave such rows out elsewhere', async () => {
    // The compile of the fixtures learned from the input "a".
    await store('learned', [...capitals(30, 5000), { input: ' A ', output: 'A' }])
    const refused = await gate({ corpus_id: 'learned' })
    expect([refused.body.code, refused.body.details]).to.deep.equal(['sealed_rows', { count: 1 }])
    expect((await gate({ rows: capitals(3, 5000) })).body.details).to.deep.equal({ count: 3 })
    await call('DELETE', '/v1/eval/tenant_holdout/learned')
    const done = await decided({ rows: [{ input: 'a', output: 'A' }, ...capitals(50, 5100)] })
    expect(done.registration.data).to.deep.include({ rows: 50, learned_rows_left_out: 1 })
    expect((await gate({ rows: [{ input: 'a', output: 'A' }] })).body.code).to.equal('no_rows')
    expect((await gate({ rows_of: candidate })).body.code).to.equal('no_rows')
  })

  it('score rows one after another until the evidence suffices, and say how it grew', async () => {
    const done = await decided({ rows: [...capitals(500, 6000)] })
    await recordHistory(service.temporal, 'gate-sequential', done.gate_id)
    expect(done.outcome).to.deep.include({ ended_by: 'promote', rows_given: 500, lost: 0 })
    expect(done.outcome.rows_scored).to.be.lessThan(60)
    expect(done.outcome.path.at(-1).evidence).to.be.at.least(20)
    expect(done.receipt).to.deep.include({ mode: 'sequential', rows: done.outcome.rows_scored, attempt: 1 })
    expect(done.outcome.flips[0]).to.deep.include({ right: 'candidate' })
    const again = await decided({ rows: capitals(500, 6000).toReversed() })
    expect(again.receipt).to.deep.include({ attempt: 2, rows: done.outcome.rows_scored })
    expect(again.registration).to.deep.include({ attempt: 2, level: 0.05 })
    expect(again.outcome.path).to.deep.equal(done.outcome.path)
    const futile = await decided({ rows: sames(500, 7000) })
    expect(futile.outcome.ended_by).to.equal('futile')
    expect([futile.decision, futile.promote]).to.deep.equal(['block', false])
    const few = await decided({ rows: [...capitals(2, 8000), ...sames(2, 8002)] })
    expect(few.outcome).to.deep.include({ ended_by: 'out_of_rows', rows_scored: 4, mean_difference: 0 })
  })

  it('are started, waited for and checked offline by the CLI', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-gate-'))
    const svc = async (...args: readonly string[]) =>
      await runCli(args, { profileDir: folder, folder, env: { SVC_URL: api.url, SVC_API_KEY: tenant.key } })
    const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n')
    await writeFile(join(folder, 'rows.jsonl'), lines(capitals(40, 10_000)))
    await writeFile(join(folder, 'wrong.jsonl'), `${lines(capitals(1))}\n{`)
    expect((await svc('holdout', 'add', 'by-cli', 'wrong.jsonl')).stderr).to.include('wrong.jsonl:2')
    expect((await svc('holdout', 'add', 'by-cli', 'rows.jsonl')).stdout).to.include('by-cli is sealed: 40 rows')
    const gated = await svc('eval', 'gate', candidate, baseline, '--holdout', 'by-cli', '--out', 'gate.json')
    expect([gated.code, gated.stdout.split('\n')[0]], gated.stderr).to.deep.equal([0, 'promote'])
    const sealed = await svc('eval', 'gate', baseline, candidate, '--rows', 'rows.jsonl')
    expect([sealed.code, sealed.stderr], sealed.stdout).to.satisfy(
      ([code, text]: [number, string]) => code === 2 && text.includes('sealed holdout'),
    )
    await writeFile(join(folder, 'open.jsonl'), lines(capitals(40, 11_000)))
    const turned = await svc('eval', 'gate', baseline, candidate, '--rows', 'open.jsonl', '--namespace', 'support')
    expect(turned.code, turned.stderr).to.equal(1)
    const shown = await svc('holdout', 'show', 'by-cli')
    expect(shown.stdout).to.include('attempts: 1, promoted: 1').and.not.to.include(CANARY)
    const keys = { keys: [toJwk(service.deps.signer.publicKey)] }
    await writeFile(join(folder, 'jwks.json'), JSON.stringify(keys))
    const checked = await svc('receipt', 'gate.json', '--jwks', 'jwks.json')
    expect([checked.code, checked.stdout], checked.stderr).to.satisfy(
      ([code, text]: [number, string]) => code === 0 && text.includes('signed by a pinned key'),
    )
    const listed = await svc('eval', 'gates', '--namespace', 'support')
    expect(
      listed.stdout.split('\n').filter((line) => line.startsWith('gat_')),
      listed.stderr,
    ).to.have.length(1)
    const verified = await svc('verify', 'gate.json', '--jwks', 'jwks.json')
    expect([verified.code, verified.stdout], verified.stderr).to.deep.equal([0, checked.stdout])
    const gate = JSON.parse(await readFile(join(folder, 'gate.json'), 'utf8'))
    gate.registration.thresholds.min_kscore_delta = 0
    await writeFile(join(folder, 'gate.json'), JSON.stringify(gate))
    for (const command of ['receipt', 'verify']) {
      expect((await svc(command, 'gate.json', '--jwks', 'jwks.json')).code).to.equal(1)
    }
    await rm(folder, { recursive: true })
  })

  it('fail for an artifact that cannot be run, and count as an attempt without a promotion', async () => {
    const op = setUpOperation(service.database.db, tenant.id)
    const golden = fileURLToPath(new URL('../../model/golden/qwen3', import.meta.url))
    const adapter = await givenAdapterArtifact(op, golden, 'absent')
    await store('unscored', capitals(30, 12_000))
    const failed = await decided({ candidate_artifact: adapter, corpus_id: 'unscored' })
    expect(failed).to.deep.include({ state: 'failed', decision: null, receipt: null })
    await expectAudited(op, 'gate.failed', failed.gate_id)
    const { body } = await call('GET', '/v1/eval/tenant_holdout/unscored')
    expect(body).to.deep.include({ attempts: 1, promotions: 0, exhausted: false })
  })

  it('go on where a process ended, and decide the same', async () => {
    await store('faulty', [...capitals(50, 9000), ...sames(10, 9050)])
    // The clock is read when the gate begins, before the receipt is signed, and when it is decided.
    faults = 3
    const done = await decided({ corpus_id: 'faulty' })
    expect(faults).to.equal(0)
    expect([done.decision, done.receipt.rows]).to.deep.equal(['promote', 60])
    const lines = await sendSql<{ readonly count: number }>(
      service.database.db,
      `select count(*)::integer as count from gates where id = $1 and decision = 'promote'`,
      [done.gate_id],
    )
    expect(lines[0]?.count).to.equal(1)
  })
})

/** The activity that this code runs in; undefined outside of one. */
function activityInfo(): { readonly activityType: string; readonly attempt: number } | undefined {
  try {
    return Context.current().info
  } catch {
    return undefined
  }
}
