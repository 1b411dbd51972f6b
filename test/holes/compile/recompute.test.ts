import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import { isRecomputed, verifyByRecomputation } from '../../../core/compile/archive/recompute/recompute.ts'
import { verifyArchive } from '../../../core/compile/archive/verify.ts'
import { toJwk } from '../../../core/ledger/keys/jwk.ts'
import { fixedSigningKey } from '../../support/archives/archives.ts'
import { inside } from '../../support/archives/changes.ts'
import { compileArchive } from '../../support/archives/compiled.ts'
import { EVIDENCE_FORGERIES, forgeEarlier, forgeTestRows } from '../../support/archives/evidence-forgeries.ts'
import { forge, openMembers, type Change, type Members } from '../../support/archives/forge.ts'
import { recomputeRows } from '../../support/archives/recompute-sets.ts'

const PINNED = { trustedKeys: [toJwk(fixedSigningKey().publicKey)] }
const EXAMPLE = new URL('../../../docs/vectors/example.svc', import.meta.url)
/** Sets of programs in one fold for each row, of noisy numbers, of labels, and with test rows. */
const SEEDS = [4, 8, 7, 2, 14]

describe('recomputing an archive', () => {
  const archives: Members[] = []

  before(async () => {
    for (const seed of SEEDS) {
      const unlabelled = seed === 8 ? ['item 77, crate', 'item 4711', 'crate 12 of item 9', 'none'] : []
      const { archive } = await compileArchive(recomputeRows(seed), { floor: 0, workBudget: 200_000, unlabelled })
      archives.push(await openMembers(archive))
    }
  })

  it('gives a genuine archive again: recipe, folds, answers, checks, samples and K', async () => {
    for (const members of archives) {
      const result = await verifyByRecomputation(await forge(members, { changes: {}, isThorough: true }), PINNED)
      expect(result.checks.filter(({ status }) => status !== 'pass')).to.deep.equal([])
      expect(isRecomputed(result)).to.equal(true)
      expect(result.attested.map(({ fact }) => fact)).to.include('latency and cost of a call')
    }
  }).timeout(60_000)

  it('refuses another share of undecided inputs, and other inputs of the search', async () => {
    const [, members] = archives
    if (members === undefined) throw new Error('no archive')
    const undecided = inside('undecided', (figure) => ({ ...figure, value: figure['value'] === 0 ? 0.25 : 0 }))
    const inputs: Change = (build) => ({ ...build, unlabelled_inputs: ['item 77, crate', 'other', 'none', 'x'] })
    for (const change of [undecided, inputs]) {
      const archive = await forge(members, { changes: { 'build.json': change }, isThorough: true })
      expect((await verifyArchive(archive, PINNED)).ok).to.equal(true)
      expect((await verifyByRecomputation(archive, PINNED)).ok).to.equal(false)
    }
  })

  for (const { name, forge: forgeOne } of EVIDENCE_FORGERIES) {
    it(`refuses a changed and signed one: ${name}`, async () => {
      const forged = (await Promise.all(archives.map(async (members) => await forgeOne(members, 1)))).filter(
        (archive) => archive !== null,
      )
      expect(forged.length).to.be.greaterThan(0)
      for (const archive of forged.slice(0, 2)) {
        const result = await verifyByRecomputation(archive, PINNED)
        expect(result.checks.find((check) => check.name === 'signature')?.status ?? 'pass').to.equal('pass')
        expect(result.ok, name).to.equal(false)
      }
    }).timeout(60_000)
  }

  it('never passes folds that are called leave-one-out of an earlier version, or test rows', async () => {
    const [, members] = archives
    if (members === undefined) throw new Error('no archive')
    for (const forged of [await forgeEarlier(members), await forgeTestRows(members)]) {
      // The documents agree with one another.
      const { ok, detail } = await verifyArchive(forged, PINNED)
      expect(ok, detail).to.equal(true)
      expect(isRecomputed(await verifyByRecomputation(forged, PINNED))).to.equal(false)
    }
  }).timeout(60_000)

  it('does not pass what another compiler made differently, and says so', async () => {
    const [members] = archives
    if (members === undefined) throw new Error('no archive')
    const compiler = {
      'build.json': inside('toolchain', (names) => ({ ...names, compiler: `sha256:${'0'.repeat(64)}` })),
    }
    const renamed = await forge(members, { changes: compiler, isThorough: true })
    expect(isRecomputed(await verifyByRecomputation(renamed, PINNED)), 'the same members').to.equal(true)
    const answers = await EVIDENCE_FORGERIES[1]?.forge(await openMembers(renamed), 0)
    if (answers === undefined || answers === null) throw new Error('no right answer to forge')
    const result = await verifyByRecomputation(answers, PINNED)
    expect(isRecomputed(result)).to.equal(false)
    expect(result.checks.find(({ name }) => name === 'recomputed_answers')?.detail).to.include('another compiler')
  }).timeout(60_000)

  it('stops when its time is over, which is no pass', async () => {
    const [members] = archives
    if (members === undefined) throw new Error('no archive')
    const archive = await forge(members, { changes: {}, isThorough: true })
    const result = await verifyByRecomputation(archive, { ...PINNED, withinMs: 0 })
    expect([result.ok, isRecomputed(result)]).to.deep.equal([true, false])
    expect(result.checks.at(-1)?.detail).to.include('time')
  })

  it('says which figures an archive of an earlier version cannot support', async () => {
    const result = await verifyByRecomputation(await readFile(EXAMPLE))
    expect([result.ok, isRecomputed(result)]).to.deep.equal([true, false])
    expect(result.checks.find(({ name }) => name === 'recomputed_rows')).to.include({ status: 'warn' })
    expect(result.checks.find(({ name }) => name === 'recomputed_answers')).to.include({ status: 'pass' })
  })
})
