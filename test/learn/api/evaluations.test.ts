import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { EvalRow } from '../../../core/compile/archive/evals.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { UPPER_PROGRAM } from '../../support/archives/archives.ts'
import { givenVersion } from '../../support/archives/signed-artifacts.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('benchmark evidence and adversarial cases', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: { planning_calls_per_ip_minute: 1000, gate_posted_parts: 30_000 },
  })
  let tenant: ApiTenant
  let artifactId: string
  before(async () => {
    tenant = await givenApiTenant(api)
    const rows = Array.from({ length: 120 }, (_, i): EvalRow => {
      const letters = `${'abcdefghij'[i % 10] ?? ''}${'klmnopqrstuv'[Math.floor(i / 10)] ?? ''}`
      const input = i % 12 === 0 ? `order ${4711 + i}` : `order ${letters}`
      const output = input.toUpperCase()
      const correct = i % 12 !== 0
      return {
        id: `row_${i + 1}`,
        input,
        expected: correct ? output : `FIRST ${4711 + i}`,
        output,
        abstained: false,
        correct,
      }
    })
    const op = setUpOperation(database.db, tenant.id)
    const recipe = { kind: 'program', recipe: UPPER_PROGRAM } as const
    const signer = api.server.services.signingKeys.current
    artifactId = (await givenVersion(op, { recipe, training: null, rows, signer })).jobId
    // The results of its rows are read out of the archive.
    await sendSql(database.db, 'delete from row_results where artifact_id = $1', [artifactId])
  })
  const call = async (method: string, path: string, body?: unknown, key = tenant.key) =>
    await api.call(method, `/v1/eval/${path}`, { key, ...(body !== undefined && { body }) })
  const validate = async (matrix: object, key = tenant.key) =>
    await call('POST', 'benchmark-evidence/validate', matrix, key)

  const filled = async () => {
    const evidence = (await call('GET', 'benchmark-evidence')).body.data
    const { template } = (await call('GET', 'benchmark-evidence/template')).body.data
    const own = evidence.lanes[0].values
    const command = 'npm run bench -- calibration'
    const hash = 'a1'.repeat(32)
    const value = (name: string): unknown => {
      if (name in own) return own[name]
      if (name.endsWith('hash')) return hash
      if (name.endsWith('score')) return 0.9
      if (name === 'latency_p95_ms') return 20
      return /latency|cost|bytes|joules/.test(name) ? 10 : 'one'
    }
    return {
      ...template,
      methodology: {
        ...template.methodology,
        dataset_version: '1',
        scoring: 'share of right answers on held-out rows',
      },
      publication: {
        ...template.publication,
        leaderboard_url: 'https://example.com/board',
        reproducer_command: command,
        reproducer_command_sha256: createHash('sha256').update(command).digest('hex'),
        freshness_expires_at: '2099-01-01T00:00:00Z',
      },
      lanes: template.lanes.map((lane: Record<string, unknown>) =>
        Object.fromEntries(Object.entries(lane).map(([name, given]) => [name, name === 'lane' ? given : value(name)])),
      ),
    }
  }

  it('measures the own lane by what was signed, and claims nothing', async () => {
    const { status, body } = await call('GET', 'benchmark-evidence')
    expect(status).to.equal(200)
    expect(body.data).to.deep.include({ public_claim_ready: false, counts: { lanes: 7, measured: 1, missing: 6 } })
    expect(body.data.lanes[0].values).to.have.all.keys('artifact_hash', 'k_score', 'size_bytes', 'receipt_hash')
    const fresh = await givenApiTenant(api)
    expect((await call('GET', 'benchmark-evidence', undefined, fresh.key)).body.data.blockers).to.include(
      'no_signed_artifact',
    )
    const expire = async (at: Date | null) =>
      await sendSql(database.db, 'update artifacts set expires_at = $2 where id = $1', [artifactId, at])
    await expire(new Date(0))
    expect((await call('GET', 'benchmark-evidence')).body.data.blockers).to.include('no_signed_artifact')
    await expire(null)
  })

  it('decides on posted cases by a paired test, up to a number of them', async () => {
    const side = (more: number, groups: number, cases = 1000) => {
      const scores = Array.from({ length: cases }, (_, at) => 0.5 + more + (at % 7) / 100)
      const axes = Object.fromEntries(Array.from({ length: groups }, (_, at) => [`axis ${at}`, scores]))
      return { per_case: { composite: scores, axes, subgroups: {}, regression_classes: {} } }
    }
    const gate = async (groups: number, more = 0.2) =>
      await call('POST', 'gate', {
        candidate: side(more, groups),
        baseline: side(0, groups),
        significance: { bootstrap_iters: 200 },
      })
    const decided = await gate(9)
    expect([decided.status, decided.body.decision], decided.text).to.deep.equal([200, 'promote'])
    expect(decided.body.gate.family).to.have.length(10)
    const given = (composite: readonly unknown[]) => ({
      ...side(0, 0),
      per_case: { ...side(0, 0).per_case, composite },
    })
    for (const candidate of [side(0.9, 0), ...['0.9', true, null, [0.9]].map((one) => given(Array(1000).fill(one)))]) {
      const { status, body } = await call('POST', 'gate', { candidate, baseline: side(0, 0), significance: true })
      expect([status, body.code]).to.deep.equal([400, 'validation_failed'])
      expect(body.error).to.match(/^candidate\.per_case\.composite: /)
    }
    expect((await gate(20)).status).to.equal(400)
  })

  it('accepts a whole matrix: the lane of a signed artifact is measured, the others are asserted', async () => {
    const matrix = await filled()
    const { status, body, text } = await validate(matrix)
    expect(status, text).to.equal(200)
    expect(body).to.include({ public_claim_ready: false })
    expect(body.lanes.map(({ basis }: { basis: string }) => basis)).to.deep.equal([
      'measured',
      ...Array(6).fill('asserted'),
    ])
    // Another tenant has not signed it.
    const other = await givenApiTenant(api)
    expect((await validate(matrix, other.key)).body.lanes[0].basis).to.equal('asserted')
  })

  it('names each fault by lane, field and reason', async () => {
    const matrix = await filled()
    const failuresOf = async (change: object) => {
      const { status, body } = await validate({ ...matrix, ...change })
      expect([status, body.code]).to.deep.equal([422, 'benchmark_evidence_incomplete'])
      return body.details.failures
    }
    const withLane = (at: number, fields: object) => ({
      lanes: matrix.lanes.map((lane: object, i: number) => (i === at ? { ...lane, ...fields } : lane)),
    })
    expect(await failuresOf(withLane(0, { k_score: 0.999 }))).to.deep.equal([
      'own_artifact:k_score:differs_from_signed',
    ])
    expect(await failuresOf(withLane(1, { latency_p95_ms: 1 }))).to.deep.equal([
      'api_baseline_1:latency_p95_ms:below_p50',
    ])
    expect(await failuresOf(withLane(2, { raw_output_hash: '0'.repeat(64) }))).to.deep.equal([
      'api_baseline_2:raw_output_hash:all_zero',
    ])
    expect(await failuresOf(withLane(3, { prompt: 'hi' }))).to.deep.equal([
      'api_baseline_3:prompt:raw_text_not_allowed',
    ])
    expect(await failuresOf(withLane(4, { accelerator: `sk-${'x'.repeat(24)}` }))).to.deep.equal([
      'hosted_open_model:lanes.4.accelerator:looks_like_a_secret',
    ])
    expect(await failuresOf(withLane(5, { quality_score: 1.5, joules_per_call: null }))).to.have.members([
      'local_gguf:quality_score:outside_0_to_1',
      'local_gguf:joules_per_call:missing',
    ])
    expect(
      await failuresOf({ lanes: [...matrix.lanes.slice(1), matrix.lanes[1], { lane: 'toaster' }] }),
    ).to.have.members(['own_artifact:lane:missing', 'api_baseline_1:lane:duplicate', 'toaster:lane:unknown'])
    expect(
      await failuresOf({ publication: { ...matrix.publication, reproducer_command: 'another command' } }),
    ).to.deep.equal(['publication:reproducer_command_sha256:does_not_match'])
    expect((await validate({ suite: 'ticket-routing', providers: [] })).body.details.failures).to.include(
      'matrix:spec:wrong',
    )
  })

  interface Case {
    readonly id: string
    readonly template: string
    readonly expectation: string
    readonly question: string
    readonly reference_answer: string | null
    readonly source_input: string
    readonly cluster_id: string
    readonly score: { readonly got: string; readonly holds: boolean } | null
  }

  it('changes captures so that the right answer is known, the same way each time', async () => {
    expect((await call('POST', 'adversarial/generate', { namespace: 'empty' })).body.code).to.equal(
      'weak_clusters_required',
    )
    const tickets = [
      ['where is my parcel now', 'shipping'],
      ['the invoice is wrong', 'billing'],
      ['the parcel was damaged', 'shipping'],
      ['I was charged twice', 'billing'],
      ['WHERE IS MY PARCEL NOW', 'shipping'],
    ]
    for (const [prompt, response] of tickets) {
      const body = { namespace: 'support', model: 'm', prompt, response }
      const observed = await api.call('POST', '/v1/bridges/observe', { key: tenant.key, body })
      expect(observed.status, observed.text).to.equal(200)
    }
    const { status, body, text } = await call('POST', 'adversarial/generate', { namespace: 'support', n: 100 })
    expect(status, text).to.equal(200)
    const rows: readonly Case[] = body.rows
    const of = (template: string) => rows.filter((row) => row.template === template)
    for (const row of of('typo')) {
      expect(row.expectation).to.equal('same')
      expect(row.question).not.to.equal(row.source_input)
      expect(row.question.split('').toSorted()).to.deep.equal(row.source_input.split('').toSorted())
      expect(row.reference_answer).to.be.oneOf(['shipping', 'billing'])
    }
    expect(of('typo')).to.have.length.greaterThan(2)
    // Rows that differ in case alone agree, so case must not matter.
    expect(of('letter_case')).to.have.length.greaterThan(2)
    expect(
      of('noise').every(({ expectation, reference_answer: none }) => expectation === 'must_abstain' && none === null),
    ).to.equal(true)
    expect(body).to.deep.include({ artifact_id: null, summary: null, truncated: false })
    const again = await call('POST', 'adversarial/generate', { namespace: 'support', n: 100 })
    expect(again.body.rows).to.deep.equal(body.rows)
    const some = await call('POST', 'adversarial/generate', {
      namespace: 'support',
      weak_clusters: ['invoice'],
    })
    expect(some.body).to.include({ clusters_considered: 1, clusters_covered: 1 })
    expect(some.body.rows.every(({ source_input: input }: Case) => input.includes('invoice'))).to.equal(true)
    for (const bad of [{ n: 'many' }, { n: 0 }, { n: 1001 }, { weak_clusters: [] }]) {
      expect((await call('POST', 'adversarial/generate', bad)).status).to.equal(400)
    }
    for (const seeds of [{ namespace: 'support' }, { artifact_id: artifactId }]) {
      const unknown = await call('POST', 'adversarial/generate', {
        ...seeds,
        weak_clusters: [{ cluster_id: 'no such words' }],
      })
      expect([unknown.status, unknown.body.details.fields[0].field]).to.deep.equal([400, 'weak_clusters[0]'])
    }
  })

  it('scores an artifact on cases of its failure modes', async () => {
    const { status, body, text } = await call('POST', 'adversarial/generate', { artifact_id: artifactId, n: 6 })
    expect(status, text).to.equal(200)
    const rows: readonly Case[] = body.rows
    expect(rows).to.have.length(6)
    expect(body).to.include({ truncated: true, artifact_id: artifactId })
    for (const row of rows) {
      expect(row.cluster_id).to.match(/^cl_/)
      expect(row.source_input).to.match(/\d/)
      expect(row).to.include({ template: 'number_changed', expectation: 'changed' })
      // The reference follows the changed number; the program answers in upper case, which is wrong.
      const number = /\d+/.exec(row.question)?.[0]
      expect(row.reference_answer).to.equal(`FIRST ${number}`)
      expect(row.score).to.deep.include({ got: row.question.toUpperCase(), holds: false })
    }
    expect(body.summary).to.deep.equal([{ expectation: 'changed', n: 6, held: 0, interval: { low: 0, high: 0.3903 } }])
    const known = rows[0]?.cluster_id
    const named = await call('POST', 'adversarial/generate', { artifact_id: artifactId, weak_clusters: [known] })
    expect(named.body.rows.every(({ cluster_id: id }: Case) => id === known)).to.equal(true)
  })

  it("answers 404 for another tenant's artifact", async () => {
    const other = await givenApiTenant(api)
    expect((await call('POST', 'adversarial/generate', { artifact_id: artifactId }, other.key)).status).to.equal(404)
  })
})
