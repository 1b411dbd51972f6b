import { expect } from 'chai'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { registrationHash } from '../../../../core/learn/gate/registration.ts'
import { toJwk, trustKeys } from '../../../../core/ledger/keys/jwk.ts'
import { verifyReceiptOffline } from '../../../../core/ledger/receipts/verify-receipt.ts'
import { givenApiTenant } from '../../../support/api.ts'
import { UPPER_PROGRAM } from '../../../support/archives/archives.ts'
import { givenVersion } from '../../../support/archives/signed-artifacts.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { SAME_PROGRAM } from '../../workflows/gate-rows.ts'
import { useEvals } from './use-evals.ts'

const TASK = 'task: names\ntest_split: test\ndoc_to_text: input\ndoc_to_target: output\n'
const names = (count: number) => Array.from({ length: count }, (_, at) => ({ input: `name${at}`, output: `NAME${at}` }))

describe('gates on evaluations', () => {
  const { api, service, tenantOf, op, start, finished } = useEvals({ gate_rows: 22, gate_unit_rows: 8 })
  let candidate: string
  let baseline: string
  let other: string
  /** The artifact of each evaluation. */
  const artifactOf = new Map<string, string>()
  before(async () => {
    const evaluated = async (recipe: JsonObject, count: number, task = TASK): Promise<string> => {
      const { signer } = service.deps
      const { jobId } = await givenVersion(op(), { recipe: { kind: 'program', recipe }, training: null, signer })
      const target = { artifact_id: jobId }
      const { evaluation_id: id } = (await finished(await start({ task, target, data: { test: names(count) } }))).body
      artifactOf.set(id, jobId)
      return id
    }
    candidate = await evaluated(UPPER_PROGRAM, 20)
    baseline = await evaluated(SAME_PROGRAM, 24)
    other = await evaluated(SAME_PROGRAM, 4, TASK.replace('names', 'others'))
  })
  const call = async (method: string, path: string, body?: object, key = tenantOf().key) =>
    await api.call(method, path, { key, ...(body !== undefined && { body }) })
  const gate = async (first: string, second: string, terms: object = {}, key = tenantOf().key) =>
    await call(
      'POST',
      '/v1/eval/gate',
      { candidate: { evaluation_id: first }, baseline: { evaluation_id: second }, ...terms },
      key,
    )

  it('pair them by row, decide at once and sign a receipt that names both', async () => {
    const { status, body, text } = await gate(candidate, baseline)
    expect(status, text).to.equal(201)
    expect(body).to.deep.include({
      mode: 'evaluations',
      measured: true,
      decision: 'promote',
      candidate_artifact_id: null,
      candidate_evaluation_id: candidate,
      baseline_evaluation_id: baseline,
      rows: 20,
    })
    expect(body.outcome).to.deep.include({ rows_scored: 20, won: 20, lost: 0, mean_difference: 1, p_value: 2 ** -20 })
    expect(body.registration.data).to.deep.include({ rows: 20, unpaired: { candidate: 0, baseline: 4 } })
    expect(registrationHash(body.registration)).to.equal(body.registration_hash)
    const { receipt } = body
    expect(receipt).to.deep.include({
      candidate_evaluation_id: candidate,
      baseline_evaluation_id: baseline,
      data_root: body.registration.data.root,
      registration_hash: body.registration_hash,
    })
    expect(receipt.results_hash).to.match(/^sha256:/)
    const keys = trustKeys([toJwk(api.server.services.signingKeys.current.publicKey)])
    expect(verifyReceiptOffline(receipt, keys)).to.deep.include({ verified: true, kind: 'gate' })
    expect(verifyReceiptOffline({ ...receipt, baseline_evaluation_id: candidate }, keys).verified).to.equal(false)
    const online = await call('POST', '/v1/receipts/verify', { receipt })
    expect(online.body, online.text).to.deep.include({ verified: true, kind: 'gate' })
    await expectAudited(op(), 'gate.decided', body.gate_id)
    const artifact = artifactOf.get(candidate)
    const graph = await call('POST', '/v1/artifacts/dependency-graph', { artifact_id: artifact })
    expect(graph.body.edges, graph.text).to.deep.include({
      from: body.gate_id,
      to: artifact,
      type: 'depends_on',
      via: 'candidate',
    })
    const turned = await gate(baseline, candidate)
    expect(turned.body).to.include({ decision: 'block', promote: false })
    const page = await call('GET', '/v1/eval/gates?limit=1')
    expect(page.body.gates.map((one: { gate_id: string }) => one.gate_id)).to.deep.equal([turned.body.gate_id])
    const rest = await call('GET', `/v1/eval/gates?limit=1&cursor=${page.body.next_cursor}`)
    expect(rest.body.gates.map((one: { receipt: object }) => one.receipt)).to.deep.equal([receipt])
  })

  it('cost a unit for so many rows in common, which are counted before they are compared', async () => {
    const { evals, meter } = api.server.services
    const used = async (): Promise<number> => {
      await meter.flush()
      return (await call('GET', '/v1/account')).body.period.used
    }
    const before = await used()
    expect((await gate(candidate, baseline)).status).to.equal(201)
    expect((await used()) - before).to.equal(3)
    const compare = evals.compare.bind(evals)
    let compared = 0
    Object.assign(evals, {
      compare: async (...given: Parameters<typeof compare>) => {
        compared++
        return await compare(...given)
      },
    })
    const large = await gate(baseline, baseline)
    Object.assign(evals, { compare })
    expect([large.status, large.body.code], large.text).to.deep.equal([400, 'too_many_rows'])
    expect(large.body.error).to.match(/^baseline\.evaluation_id: has 24 rows in common/)
    expect(compared).to.equal(0)
    expect((await used()) - before).to.equal(3)
  })

  it('refuse what they cannot pair, with the field', async () => {
    const stranger = await givenApiTenant(api)
    expect((await gate(candidate, baseline, {}, stranger.key)).status).to.equal(404)
    expect((await call('GET', '/v1/eval/gates', undefined, stranger.key)).body.gates).to.deep.equal([])
    expect((await gate(candidate, candidate)).body.decision).to.equal('block')
    for (const [answer, status, field] of [
      [await gate(candidate, 'evl_00000000000000000000000000'), 404, 'baseline.evaluation_id'],
      [await gate(candidate, other), 400, 'baseline.evaluation_id'],
      [await gate(candidate, baseline, { rows: names(2) }), 400, 'rows'],
      [await gate(candidate, baseline, { significance: true }), 400, 'significance'],
      [await gate(candidate, baseline, { baseline: { k_score: 0.5 } }), 400, 'baseline.k_score'],
      [await gate(candidate, baseline, { baseline: {} }), 400, 'baseline.evaluation_id'],
    ] as const) {
      expect(answer.status, answer.text).to.equal(status)
      expect(answer.body.details.fields[0].field, answer.text).to.equal(field)
    }
    await sendSql(service.database.db, `update evaluations set source = 'asserted' where id = $1`, [other])
    expect((await gate(other, other)).body.error).to.match(/^candidate\.evaluation_id: was imported/)
  })
})
