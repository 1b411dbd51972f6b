import { expect } from 'chai'
import { loadArchive } from '../../../core/compile/runtime/load-archive.ts'
import { verifyArchive } from '../../../core/compile/archive/verify.ts'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import { toJwk } from '../../../core/ledger/keys/jwk.ts'
import { fixedSigningKey, sealFixture } from '../../support/archives/archives.ts'
import { attestedFacts, isAttested } from '../../support/archives/attested.ts'
import { changedRows, set } from '../../support/archives/changes.ts'
import { compileArchive } from '../../support/archives/compiled.ts'
import { forge, openMembers, type Change, type Members } from '../../support/archives/forge.ts'
import { walkLeaves } from '../../support/archives/leaf-walk.ts'
import { deskRows } from '../../compile/core/rows/given-rows.ts'

const PINNED = { trustedKeys: [toJwk(fixedSigningKey().publicKey)] }

/** Changes the last point of a curve. */
const lastPoint =
  (change: (point: Record<string, Json>) => Record<string, Json>): Change =>
  (document) => ({
    ...document,
    curve: (Array.isArray(document['curve']) ? document['curve'] : []).map((point: Json, i, all) =>
      isJsonObject(point) && i === all.length - 1 ? change({ ...point }) : point,
    ),
  })

/** Changes of a certificate by a forger with a pinned key. */
const FORGERIES: readonly (readonly [string, Readonly<Record<string, Change>>])[] = [
  ['more rows', { 'certificate.json': set({ n: 960 }) }],
  ['another threshold', { 'certificate.json': set({ threshold: 0.12 }) }],
  ['another coverage', { 'certificate.json': set({ coverage: 0.9999 }) }],
  ['fewer wrong answers', { 'certificate.json': set({ wrong: -1 }) }],
  ['another count of wrong answers', { 'certificate.json': set({ wrong: 17 }) }],
  ['a smaller risk', { 'certificate.json': set({ max_error: 0.01 }) }],
  ['a higher confidence', { 'certificate.json': set({ confidence: 0.999 }) }],
  ['held-out rows', { 'certificate.json': set({ basis: 'held_out' }) }],
  ['fewer kinds', { 'certificate.json': set({ kinds: 0 }) }],
  ['another promise', { 'certificate.json': set({ statement: 'No answer is wrong.' }) }],
  ['another curve', { 'certificate.json': lastPoint((point) => ({ ...point, wrong: 0, answered: 90 })) }],
  ['a curve of other thresholds', { 'certificate.json': lastPoint((point) => ({ ...point, threshold: 0.01 })) }],
  ['a curve that is cut', { 'certificate.json': set({ curve: [{ threshold: 0, answered: 96, wrong: 0 }] }) }],
  ['alternatives of a classifier', { 'certificate.json': set({ alternatives: [{ program: {}, weight: 0.1 }] }) }],
  [
    'rows of more confidence',
    { 'evals.json': changedRows((row, i) => (i === 0 ? { ...row, confidence: 0.123456 } : row)) },
  ],
]

describe('forged certificates', function () {
  this.timeout(300_000)
  let archive: Uint8Array
  let members: Members
  before(async () => {
    const sealed = await compileArchive(deskRows(), {
      floor: 0.3,
      workBudget: 20_000,
      doubt: { risk: { max_error: 0.2, confidence: 0.8 } },
    })
    archive = sealed.archive
    members = await openMembers(archive)
    expect(sealed.manifest.spec).to.equal('svc-2')
  })

  it('stand beside a genuine one, which verifies and names its rows', async () => {
    const { content } = await loadArchive(archive, PINNED)
    expect(content.certificate).to.deep.include({ basis: 'cross_fit', n: 96, max_error: 0.2, confidence: 0.8 })
    expect(content.hashes).to.have.property('certificate.json')
    expect(content.certificate?.status).to.equal('certified')
    expect(content.verifier).to.include({ spec: 'svc-verifier-2', on_doubt: 'abstain' })
  })

  it('are refused, whatever is changed and signed again', async () => {
    const unchanged = await verifyArchive(await forge(members, { changes: {}, isThorough: true }), PINNED)
    expect(unchanged.ok, unchanged.detail).to.equal(true)
    for (const [name, changes] of FORGERIES) {
      const result = await verifyArchive(await forge(members, { changes, isThorough: true }), PINNED)
      expect(result.ok, `${name} was accepted`).to.equal(false)
    }
  })

  it('hold no fact that may be changed, beside those that the format calls attested', async () => {
    const attested = await attestedFacts()
    const { survivors } = await walkLeaves(members, {
      perFact: true,
      inside: ['certificate.json', 'verifier.json', 'evals.json', 'manifest.json'],
    })
    expect(survivors.filter(({ leaf }) => !isAttested(leaf, attested))).to.deep.equal([])
  })

  it('are refused where the archive holds digests of its rows', async () => {
    const doubt = { risk: { max_error: 0.2, confidence: 0.8 } }
    const sealed = await compileArchive(deskRows(), { floor: 0.3, workBudget: 20_000, doubt, rowsForm: 'digests' })
    const digested = await openMembers(sealed.archive)
    const given = await verifyArchive(sealed.archive, PINNED)
    expect(given.ok, given.detail).to.equal(true)
    for (const change of [
      lastPoint((point) => ({ ...point, wrong: Number(point['wrong']) + 1 })),
      lastPoint((point) => ({ ...point, answered: Number(point['answered']) - 1 })),
    ]) {
      const archive = await forge(digested, { changes: { 'certificate.json': change }, isThorough: true })
      const { ok, detail } = await verifyArchive(archive, PINNED)
      expect(ok).to.equal(false)
      expect(detail).to.include('the rows give another curve')
    }
  })

  it('have no place in an archive of the first version', async () => {
    const early = await openMembers((await sealFixture()).archive)
    const certificate = members.get('certificate.json') ?? new Uint8Array()
    const result = await verifyArchive(
      await forge(new Map([...early, ['certificate.json', certificate]]), { changes: {}, isThorough: true }),
      PINNED,
    )
    expect(result.ok).to.equal(false)
    const without = new Map(members)
    without.delete('certificate.json')
    const dropped = await verifyArchive(await forge(without, { changes: {}, isThorough: true }), PINNED)
    // An archive without a certificate promises nothing, so there is nothing to refuse.
    expect(dropped.ok, dropped.detail).to.equal(true)
  })
})
