import { expect } from 'chai'
import { readDataset } from '../../../../core/compile/rows/intake/dataset.ts'
import { toJsonObject } from '../../../../core/compile/archive/members/members-json.ts'
import { CaptureDigest, CapturesDocument } from '../../../../core/compile/archive/schemas/captures.ts'
import { verifyArchive } from '../../../../core/compile/archive/verify.ts'
import { toJwk } from '../../../../core/ledger/keys/jwk.ts'
import { readBlob } from '../../../../db/kernel/blobs/read-blob.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../../support/api.ts'
import { fixedSigningKey } from '../../../support/archives/archives.ts'
import { forge, openMembers } from '../../../support/archives/forge.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { givenScopedKey } from '../../../support/people/given-keys.ts'
import { reconcileOne } from '../../../support/workflows/chores.ts'
import { useService } from '../../../support/workflows/service.ts'

const NAMES = ['Ada Lovelace', 'Alan Turing', 'Grace Hopper', 'Edsger Dijkstra', 'Barbara Liskov', 'Tony Hoare']
const TASK = { task: 'Surname in capitals', base_model: 'none', k_score_floor: 0.5 }
const CANARY = 'Barbara Liskov'

/** Expects that the statement of an archive about its captures cannot be changed alone. */
async function expectForgeriesFound(archive: Uint8Array): Promise<void> {
  const members = await openMembers(archive)
  const forgeries: readonly ((captures: CapturesDocument) => object)[] = [
    (captures) => captures,
    (captures) => ({ ...captures, used: captures.used + 1 }),
    (captures) => ({ ...captures, digest: `sha256:${'0'.repeat(64)}` }),
    (captures) => ({ ...captures, listed: undefined }),
    (captures) => ({ ...captures, listed: captures.listed?.toReversed() }),
    (captures) => ({ ...captures, chains: [{ count: 1, head: '0'.repeat(64) }] }),
    ({ listed = [], ...captures }) => {
      const others = listed.map((one, i) => ({ ...one, id: `cap_${i}` }))
      const digest = new CaptureDigest()
      for (const one of others) digest.add(one)
      return { ...captures, listed: others, digest: digest.digest() }
    },
  ]
  for (const [i, change] of forgeries.entries()) {
    const forged = await forge(members, {
      changes: {
        'build.json': (build) =>
          toJsonObject({ ...build, captures: change(CapturesDocument.parse(build['captures'])) }),
      },
      isThorough: true,
    })
    const { ok, reason } = await verifyArchive(forged, { trustedKeys: [toJwk(fixedSigningKey().publicKey)] })
    expect({ i, ok, reason }).to.deep.equal(
      i === 0 ? { i, ok: true, reason: undefined } : { i, ok: false, reason: 'provenance_mismatch' },
    )
  }
}

describe('compiling captures', () => {
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  let ids: readonly string[]
  const call = async (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
    key = tenant.key,
  ) => await api.call(method, path, { key, headers, ...(body !== undefined && { body }) })
  const log = async (namespace: string, items: readonly object[]): Promise<readonly string[]> => {
    const answer = await call('POST', '/v1/capture/log', { namespace, items })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.ids
  }
  const approve = async (some: readonly string[]) =>
    await call('POST', '/v1/captures/review-bulk', { ids: some, action: 'approve' })
  const compile = async (from: object, headers: Record<string, string> = {}) =>
    await call('POST', '/v1/compile', { ...TASK, from_captures: from }, headers)

  before(async () => {
    tenant = await givenApiTenant(api)
    // Names of people are the task: they would be redacted otherwise.
    for (const namespace of ['names', 'running', 'contradictory']) {
      const settings = { privacy_policy: 'allow', redact_mode: 'detect_only' }
      expect((await call('PUT', `/v1/gateway/namespaces/${namespace}`, settings)).status).to.equal(200)
    }
    ids = await log(
      'names',
      NAMES.map((name) => ({ input: name, output: name.split(' ').at(-1)?.toUpperCase() })),
    )
    const [, turing = ''] = ids
    await approve(ids)
    await call('POST', `/v1/captures/${turing}/review`, { action: 'approve', fixed_output: 'TURING' })
    await log('names', [{ input: 'Not Approved', output: 'NOTHING' }])
    const [tools = ''] = await log('names', [{ input: 'With Tools', output: 'x', tool_calls: [{ name: 'f' }] }])
    await approve([tools])
  })

  it('refuses an unknown namespace, captures beside examples, another namespace and none that are approved', async () => {
    const examples = NAMES.map((input) => ({ input, output: 'A' }))
    for (const [given, code, field] of [
      [{ from_captures: { namespace: 'nowhere' } }, 'unknown_namespace', 'from_captures.namespace'],
      [{ corpus_namespace: 'nowhere', examples }, 'unknown_namespace', 'corpus_namespace'],
      [{ from_captures: { namespace: 'names' }, examples }, 'validation_failed', 'from_captures'],
      [{ from_captures: { namespace: 'names' }, corpus_namespace: 'other' }, 'validation_failed', 'corpus_namespace'],
      [{ from_captures: { namespace: 'names', capture_ids: ['cap_0'] } }, 'no_examples', 'from_captures'],
    ] as const) {
      const { status, body, text } = await call('POST', '/v1/compile', { ...TASK, ...given })
      expect(status, text).to.equal(400)
      expect(body.code).to.equal(code)
      expect(body.details.fields[0].field).to.equal(field)
    }
    const scopes = ['compile:write', 'compile:read']
    const { key } = await givenScopedKey(api, tenant.key, { name: 'compiles', scopes })
    const from = { ...TASK, from_captures: { namespace: 'names' } }
    expect((await call('POST', '/v1/compile', from, {}, key)).status).to.equal(403)
  })

  it('learns from approved captures, names their chain in its evidence, and needs a review once one is forgotten', async () => {
    const { status, body: job, text } = await compile({ namespace: 'names' }, { 'idempotency-key': 'one' })
    expect(status, text).to.equal(200)
    const { head, chain_length: count } = (await call('GET', '/v1/captures/verify?namespace=names')).body
    const captures = { namespace: 'names', used: 6, other_examples: 0, skipped: { tools: 1 }, forgotten: 0 }
    expect(job.captures).to.deep.equal({ ...captures, chains: [{ count, head }] })
    expect(job.seed_provenance.eval_source).to.equal('tenant_captured')
    expect(job.seed_provenance.figures.eval_provenance.why).to.include('captures names their chain')
    const { rows } = (await call('GET', `/v1/compile/${job.id}/rows`)).body
    expect(rows.map(({ id }: { id: string }) => id)).to.have.members([...ids])
    const archive = await api.call('GET', `/v1/compile/${job.id}/.svc`, { key: tenant.key })
    const { current } = api.server.services.signingKeys
    const verified = await verifyArchive(archive.bytes, { trustedKeys: [toJwk(current.publicKey)] })
    expect(verified.ok, verified.detail).to.equal(true)
    const stated = verified.opened?.archive.build.captures
    expect(stated).to.deep.include({ namespace: 'names', used: 6, chains: [{ count, head }] })
    expect(stated?.listed?.map(({ id }) => id)).to.deep.equal([...ids].toSorted())
    await expectForgeriesFound(archive.bytes)
    const { dag } = (await call('GET', `/v1/artifacts/${job.id}/evidence-trace`)).body
    expect(dag.nodes.map(({ id }: { id: string }) => id)).to.include(`chain:${head.slice(0, 32)}`)

    // Approved meanwhile: the repeated call is still the first.
    await approve(await log('names', [{ input: 'Mary Wilkes', output: 'WILKES' }]))
    const repeated = await compile({ namespace: 'names' }, { 'idempotency-key': 'one' })
    expect(repeated.body.id, repeated.text).to.equal(job.id)

    const again = await call('POST', `/v1/compile/${job.id}/again`, {
      examples: [{ input: 'Frances Allen', output: 'ALLEN' }],
    })
    expect(again.body.captures, again.text).to.deep.include({ used: 6, other_examples: 1 })

    const artifact = async (id: string) => (await call('GET', `/v1/artifacts/${id}`)).body
    expect(await artifact(job.id)).to.deep.include({ needs_review: false, review_reasons: [] })
    const forgotten = ids[4] ?? ''
    const forget = async () =>
      await call('POST', '/v1/captures/forget', { confirm: true, capture_id: forgotten, reason: 'user_request' })
    const done = await forget()
    expect(done.body.requires_redistill, done.text).to.equal(true)
    const { deletion_certificate: certificate } = done.body.markers[0]
    expect(certificate.derived_artifacts_status).to.equal('redistill_required')
    expect(certificate.derived_artifacts.flagged).to.equal(2)
    expect(certificate.derived_artifacts.ids).to.have.members([job.id, again.body.id])
    expect(certificate.residual_exceptions.join()).to.contain('signed archives')
    expect((await forget()).body.markers[0].deletion_certificate).to.deep.equal(certificate)
    for (const id of [job.id, again.body.id]) {
      const flagged = await artifact(id)
      expect(flagged).to.deep.include({ needs_review: true, production_ready: false })
      expect(flagged.review_reasons[0]).to.deep.include({ code: 'capture_forgotten', captures: 1 })
      expect(flagged.production_reasons.map(({ code }: { code: string }) => code)).to.include('capture_forgotten')
    }
    const { artifacts } = (await call('GET', '/v1/artifacts')).body
    expect(artifacts.map(({ needs_review: flag }: { needs_review: boolean }) => flag)).to.deep.equal([true, true])

    for (const shown of ['recipe', 'code']) {
      expect((await call('GET', `/v1/artifacts/${job.id}/${shown}`)).text, shown).not.to.contain(CANARY)
    }

    // Before and after the chore, what is compiled again learns from the others.
    const without = await call('POST', `/v1/compile/${job.id}/again`, { examples: [] })
    expect(without.body.captures, without.text).to.deep.include({ used: 5, forgotten: 0 })
    expect(await artifact(without.body.id)).to.deep.include({ needs_review: false })
    const deps = service.deps
    expect(await reconcileOne(deps, 'forgottenExamples')).to.deep.equal({ erased: 2 })
    expect(await reconcileOne(deps, 'forgottenExamples')).to.deep.equal({ erased: 0 })
    const [stored] = await sendSql<{ dataset: `sha256:${string}` }>(
      service.database.db,
      'select dataset_sha256 as dataset from compile_jobs where id = $1',
      [job.id],
    )
    const kept: string[] = []
    if (stored !== undefined) {
      for await (const example of readDataset(readBlob(service.database.db, stored.dataset)))
        kept.push(JSON.stringify(example))
    }
    expect(kept).to.have.length(5)
    expect(kept.join()).not.to.contain(CANARY)
    expect((await call('GET', `/v1/compile/${job.id}/rows`)).text).not.to.contain(CANARY)
    const last = await call('POST', `/v1/compile/${job.id}/again`, { examples: [] })
    expect(last.body.captures, last.text).to.deep.include({ used: 5, forgotten: 0 })
    const { used } = (await compile({ namespace: 'names', capture_ids: [...ids] })).body.captures
    expect(used).to.equal(5)
  })

  it('fails while it runs when a capture is forgotten that it learns from', async () => {
    const hold = service.hold()
    const logged = await log(
      'running',
      NAMES.map((input) => ({ input, output: input.toUpperCase() })),
    )
    await approve(logged)
    const from_captures = { namespace: 'running' }
    const started = await call('POST', '/v1/compile', { ...TASK, from_captures, mode: 'async' })
    expect(started.status, started.text).to.equal(202)
    await hold.reached
    const gone = await call('POST', '/v1/captures/forget', { confirm: true, capture_id: logged[0] })
    expect(gone.body.markers[0].deletion_certificate).to.deep.include({
      derived_artifacts_status: 'redistill_required',
      derived_artifacts: { flagged: 0, ids: [] },
    })
    expect(await reconcileOne(service.deps, 'forgottenExamples')).to.deep.equal({ erased: 1 })
    hold.release()
    const job = (await call('GET', `/v1/compile/${started.body.job_id}`)).body
    expect(job).to.deep.include({ status: 'failed', error_code: 'capture_forgotten' })
  })

  it('leaves contradictory captures to their reviewer', async () => {
    const pairs = [...NAMES, 'Ada Lovelace'].map((input, i) => ({ input, output: `Answer ${i}` }))
    const logged = await log('contradictory', pairs)
    await approve(logged)
    const { body, text } = await compile({ namespace: 'contradictory' })
    expect(body.code, text).to.equal('contradictory_examples')
    expect(body.error).to.contain(logged.at(-1))
  })
})
