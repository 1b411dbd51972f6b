import { expect } from 'chai'
import yauzl from 'yauzl'
import { buildContent, packContent, unpackContent } from '../../../../core/compile/archive/members/content.ts'
import { verifyByRecomputation } from '../../../../core/compile/archive/recompute/recompute.ts'
import { verifyArchive, type VerificationResult } from '../../../../core/compile/archive/verify.ts'
import { trainClassifier } from '../../../../core/model/classifier/train-classifier.ts'
import { loadArchive } from '../../../../core/compile/runtime/load-archive.ts'
import { toJwk } from '../../../../core/ledger/keys/jwk.ts'
import type { SecretState } from '../../../../core/ledger/keys/secret-lookup.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import {
  MAC_KEY,
  buildFacts,
  contentInput,
  evalsOf,
  fixedSigningKey,
  sealFixture,
  upperRows,
} from '../../../support/archives/archives.ts'

const PINNED = [toJwk(fixedSigningKey().publicKey)]

describe('archive', () => {
  it('is the same bytes for the same input, and the same content for another build', async () => {
    const first = await sealFixture()
    const again = await sealFixture()
    expect(Buffer.compare(first.archive, again.archive)).to.equal(0)
    const later = await sealFixture({
      facts: { jobId: 'cmp_11111111111111111111111111', task: 'Another name for it' },
      issuedAt: new Date('2026-05-05T00:00:00.000Z'),
      signer: fixedSigningKey(2),
    })
    expect(later.cid).to.equal(first.cid)
    expect(later.manifest.hashes).to.deep.equal(first.manifest.hashes)
    expect(later.artifactHash).not.to.equal(first.artifactHash)
    const other = await sealFixture({
      input: { evals: evalsOf(upperRows(11)) },
    })
    expect(other.cid).not.to.equal(first.cid)
  })

  it('opens in any zip reader, the manifest first and the signature last', async () => {
    const { archive } = await sealFixture()
    const zip = await yauzl.fromBufferPromise(Buffer.from(archive), {})
    const names: string[] = []
    for await (const entry of zip.eachEntry()) names.push(entry.fileName)
    expect(names).to.deep.equal([
      'manifest.json',
      'recipes.json',
      'verifier.json',
      'evals.json',
      'capability.json',
      'build.json',
      'evidence.json',
      'receipt.json',
      'signature.sig',
    ])
  })

  it('verifies with a pinned key, says unknown without one, and fails for another', async () => {
    const { archive, manifest } = await sealFixture()
    const pinned = await verifyByRecomputation(archive, { trustedKeys: PINNED })
    expect(pinned, pinned.detail).to.deep.include({ ok: true, trusted: 'trusted', manifest })
    const warnings = pinned.checks.filter(({ status }) => status !== 'pass')
    expect(warnings.map(({ name }) => name)).to.deep.equal(['recomputed_rows'])
    const unpinned = await verifyArchive(archive)
    expect(unpinned).to.deep.include({ ok: true, trusted: 'unknown_signer', fingerprint: fixedSigningKey().kid })
    expect(unpinned.checks.find(({ name }) => name === 'signer')?.status).to.equal('warn')
    const others = [toJwk(fixedSigningKey(2).publicKey)]
    expect(await verifyArchive(archive, { trustedKeys: others })).to.deep.include({
      ok: false,
      trusted: 'untrusted',
      reason: 'signature_invalid',
    })
    expect((await verifyArchive(archive, { trustedKeys: [] })).ok).to.equal(false)
  })

  it('runs, and is not run when it does not verify', async () => {
    const { archive } = await sealFixture()
    const { recipe, trusted } = await loadArchive(archive, { trustedKeys: PINNED })
    expect(trusted).to.equal('trusted')
    if (recipe.kind !== 'pure') throw new Error('a program needs no base')
    expect(recipe.runner.run('straße').output).to.equal('STRASSE')
    const cut = await loadArchive(archive.subarray(0, -1)).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(cut).to.be.instanceOf(DomainError).and.to.have.property('code', 'invalid_archive')
  })

  it('carries a classifier with its weights, which count towards the CID', async () => {
    const topics = { parcel: 'where is my parcel', refund: 'i want my money back', hours: 'when do you open' }
    const rows = Object.entries(topics).flatMap(([output, text]) =>
      Array.from({ length: 8 }, (_, i) => ({ id: `${output}_${i}`, input: `${text} ${i} please`, output })),
    )
    const trained = trainClassifier(rows, { contenders: 1 })
    if (trained === null) throw new Error('no label task')
    const evals = evalsOf(
      rows.map(({ id, input, output }) => ({ id, input, expected: output, output, abstained: false, correct: true })),
    )
    const seal = async (weights: Uint8Array) =>
      await sealFixture({ input: { recipe: { kind: 'classifier', recipe: trained.recipe, weights }, evals } })
    const { archive, cid, manifest } = await seal(trained.weights)
    expect(manifest).to.deep.include({ artifact_class: 'classifier' })
    const result = await verifyByRecomputation(archive, { trustedKeys: PINNED })
    expect(result.ok, result.detail).to.equal(true)
    const recipe = result.opened?.recipe
    if (recipe?.kind !== 'pure') throw new Error('a classifier needs no base')
    expect(recipe.runner.run('so when do you open on monday').output).to.equal('hours')
    const nudged = Uint8Array.from(trained.weights)
    nudged[nudged.length - 1] = ((nudged.at(-1) ?? 0) + 1) % 100
    expect((await seal(nudged)).cid).not.to.equal(cid)
  })

  it('has its HMACs checked where the secret is known', async () => {
    const { archive } = await sealFixture()
    const verify = async (state: SecretState): Promise<VerificationResult> =>
      await verifyArchive(archive, { trustedKeys: PINNED, findSecret: () => state })
    expect((await verify({ state: 'live', secret: MAC_KEY.secret })).ok).to.equal(true)
    expect(await verify({ state: 'live', secret: 'another' })).to.deep.include({
      ok: false,
      reason: 'signature_invalid',
    })
    expect(await verify({ state: 'pruned' })).to.deep.include({ ok: false, reason: 'signature_invalid' })
  })

  it('is not signed below the floor or with a leak', async () => {
    const codeOf = async (sealing: Promise<unknown>) =>
      await sealing.then(
        () => undefined,
        (error: unknown) => (error instanceof DomainError ? error.code : error),
      )
    const oneWrong = upperRows(12).map((row, i) => (i === 0 ? { ...row, expected: 'x', correct: false } : row))
    const low = sealFixture({ input: { evals: evalsOf(oneWrong) }, facts: { kScoreFloor: 0.98 } })
    expect(await codeOf(low)).to.equal('k_score_below_floor')
    const { seedProvenance, kScore } = buildFacts(buildContent(contentInput()))
    const leaking = { ...seedProvenance, leakage_report: { ...seedProvenance.leakage_report, input_overlap: 1 } }
    expect(await codeOf(sealFixture({ facts: { seedProvenance: leaking } }))).to.equal('train_holdout_leakage')
    // Facts that contradict the evaluation never leave as a signed archive.
    const boasting = { ...kScore, accuracy: 0.5 }
    expect(await codeOf(sealFixture({ facts: { kScore: boasting } }))).to.equal('compile_failed')
  })

  it('shows at most 1,000 evaluation rows and binds all of them', async () => {
    const given = upperRows(1005)
    const long = await sealFixture({ input: { evals: evalsOf(given) } })
    const result = await verifyByRecomputation(long.archive, { trustedKeys: PINNED })
    expect(result.ok, result.detail).to.equal(true)
    expect(result.opened?.content.evals).to.deep.include({ n: 1005, shown: 1000, correct: 1005 })
    const rows = given.with(1004, {
      ...given[0],
      id: 'x',
      input: '',
      expected: '',
      output: '',
      abstained: false,
      correct: true,
    })
    const other = await sealFixture({ input: { evals: evalsOf(rows) } })
    expect(other.evalSetHash).not.to.equal(long.evalSetHash)
  })

  it('finds recorded answers that the recipe does not give', async () => {
    const rows = upperRows(12).map((row, i) => (i === 4 ? { ...row, output: 'something else', correct: false } : row))
    const { archive } = await sealFixture({ input: { evals: evalsOf(rows) } })
    expect((await verifyArchive(archive)).ok).to.equal(true)
    expect(await verifyByRecomputation(archive)).to.deep.include({ ok: false, reason: 'evals_mismatch' })
  })

  it('keeps its content between stages, and refuses a blob that was changed', async () => {
    const content = buildContent(contentInput())
    const blob = await packContent(content)
    const back = await unpackContent(blob)
    expect(back.cid).to.equal(content.cid)
    expect([...back.members.keys()]).to.deep.equal([...content.members.keys()])
    expect(Buffer.compare(await packContent(back), blob)).to.equal(0)
    const broken = await unpackContent(blob.subarray(1)).then(
      () => 'opened',
      (error: unknown) => (error instanceof DomainError ? error.details?.['reason'] : error),
    )
    expect(broken).to.be.a('string').and.not.to.equal('opened')
  })

  it('stores a member that would shrink so far that readers take it for a bomb', async () => {
    const rows = Array.from({ length: 300 }, (_, i) => {
      const text = `${'a'.repeat(9000)}${i}`
      return {
        id: `row_${i}`,
        input: text,
        expected: text.toUpperCase(),
        output: text.toUpperCase(),
        abstained: false,
        correct: true,
      }
    })
    const { archive } = await sealFixture({ input: { evals: evalsOf(rows) } })
    expect((await verifyArchive(archive, { trustedKeys: PINNED })).ok).to.equal(true)
  })
})
