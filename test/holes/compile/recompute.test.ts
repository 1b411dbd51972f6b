import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import { checkJudges } from '../../../core/compile/archive/recompute/judges.ts'
import { isRecomputed } from '../../../core/compile/archive/recompute/is-recomputed.ts'
import { verifyByRecomputation } from '../../../core/compile/archive/recompute/recompute.ts'
import { SeedProvenanceDocument } from '../../../core/compile/archive/schemas/build.ts'
import { VerifierDocument } from '../../../core/compile/archive/schemas/verifier.ts'
import { verifyArchive } from '../../../core/compile/archive/verify.ts'
import { taskEquality } from '../../../core/compile/rows/equality/task-equality.ts'
import { splitBothWays } from '../../../core/compile/rows/split/split-rows.ts'
import { synthesizeVerifier, withDoubt } from '../../../core/compile/stages/verifier/synthesize-verifier.ts'
import { toJwk } from '../../../core/ledger/keys/jwk.ts'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import { fixedSigningKey } from '../../support/archives/archives.ts'
import { inside } from '../../support/archives/changes.ts'
import { compileArchive } from '../../support/archives/compiled.ts'
import { EVIDENCE_FORGERIES, forgeEarlier, forgeTestRows } from '../../support/archives/evidence-forgeries.ts'
import { forge, openMembers, type Change, type Members } from '../../support/archives/forge.ts'
import { recomputeRows } from '../../support/archives/recompute-sets.ts'

const PINNED = { trustedKeys: [toJwk(fixedSigningKey().publicKey)] }
const EXAMPLE = new URL('../../../docs/formats/vectors/example.svc', import.meta.url)
/** Sets of programs in one fold for each row, of noisy numbers, of labels, and with test rows; and the work that finds their recipes. */
const SETS = [
  { seed: 4, workBudget: 60_000 },
  { seed: 8, workBudget: 60_000 },
  { seed: 7, workBudget: 60_000 },
  { seed: 2, workBudget: 200_000 },
  { seed: 14, workBudget: 60_000 },
]

const boxRows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `row_${i + 1}`, input: `item ${i * 7}, box`, output: `${i * 7}` }))

describe('recomputing an archive', () => {
  const archives: Members[] = []

  before(async () => {
    for (const { seed, workBudget } of SETS) {
      const unlabelled = seed === 8 ? ['item 77, crate', 'item 4711', 'crate 12 of item 9', 'none'] : []
      const { archive } = await compileArchive(recomputeRows(seed), { floor: 0, workBudget, unlabelled })
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
  }).timeout(180_000)

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

  for (const [at, { name, forge: forgeOne }] of EVIDENCE_FORGERIES.entries()) {
    it(`refuses a changed and signed one: ${name}`, async () => {
      const forged = (await Promise.all(archives.map(async (members) => await forgeOne(members, 1)))).filter(
        (archive) => archive !== null,
      )
      // One recomputation takes a second: the forgeries share the archives.
      const archive = forged[at % forged.length]
      if (archive === undefined) throw new Error('no archive holds what is forged')
      const result = await verifyByRecomputation(archive, PINNED)
      expect(result.checks.find((check) => check.name === 'signature')?.status ?? 'pass').to.equal('pass')
      expect(result.ok, name).to.equal(false)
    }).timeout(180_000)
  }

  it('never passes folds that are called leave-one-out of an earlier version, or test rows', async () => {
    const members = archives.at(-1)
    if (members === undefined) throw new Error('no archive')
    for (const forged of [await forgeEarlier(members), await forgeTestRows(members)]) {
      // The documents agree with one another.
      const { ok, detail } = await verifyArchive(forged, PINNED)
      expect(ok, detail).to.equal(true)
      expect(isRecomputed(await verifyByRecomputation(forged, PINNED))).to.equal(false)
    }
  }).timeout(180_000)

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
  }).timeout(180_000)

  it('takes the risk and the behaviour in doubt as the archive states them', async () => {
    for (const doubt of [{ risk: { max_error: 0.2, confidence: 0.9 } }, { on_doubt: 'abstain' }] as const) {
      const { archive } = await compileArchive(boxRows(30), { floor: 0, workBudget: 20_000, doubt })
      const result = await verifyByRecomputation(archive, PINNED)
      expect(result.checks.filter(({ status }) => status !== 'pass')).to.deep.equal([])
      expect(isRecomputed(result)).to.equal(true)
      expect(result.attested.map(({ why }) => why)).to.include("the caller's choice")
    }
  }).timeout(180_000)

  it('takes the behaviour in doubt as stated where it makes only the judges again', () => {
    const rows = boxRows(30)
    const { apart } = splitBothWays(rows, {})
    if (apart === null) throw new Error('too few rows')
    const verifier = synthesizeVerifier(apart.train.flatMap((place) => rows[place] ?? []))
    const build = { seed_provenance: SeedProvenanceDocument.parse(JSON.parse(JSON.stringify(apart.provenance))) }
    for (const onDoubt of ['answer', 'abstain'] as const) {
      const stated = VerifierDocument.parse(JSON.parse(JSON.stringify(withDoubt(verifier, onDoubt))))
      const judges = { equality: taskEquality(rows, apart), verifier: stated }
      expect(checkJudges(judges, build, { rows, negatives: [], unlabelled: [] }, 'held')).to.include(
        'checks made again',
      )
    }
  })

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

  it('recomputes an archive that holds digests from the rows that are given, and from no others', async () => {
    const rows = recomputeRows(8)
    const unlabelled = ['item 77, crate', 'item 4711']
    const options = { floor: 0, workBudget: 200_000, unlabelled, rowsForm: 'digests' } as const
    const { archive } = await compileArchive(rows, options)
    const texts = [...(await openMembers(archive)).values()].map((bytes) => new TextDecoder().decode(bytes)).join('')
    const firstText = JSON.stringify(rows[0]?.input)
    expect(texts).not.to.include(firstText).and.not.to.include('item 4711')
    const alone = await verifyByRecomputation(archive, PINNED)
    expect([alone.ok, isRecomputed(alone)], alone.detail).to.deep.equal([true, false])
    expect(alone.checks.find(({ name }) => name === 'recomputed_rows')?.detail).to.include('--rows FILE')
    const given = { negatives: [], unlabelled: unlabelled.map((input, i) => ({ id: `unlabelled_${i + 1}`, input })) }
    const whole = await verifyByRecomputation(archive, { ...PINNED, rows: { ...given, rows } })
    expect(whole.checks.filter(({ status }) => status !== 'pass')).to.deep.equal([])
    const others = rows.map((row, i) => (i === 0 ? { ...row, output: 'x' } : row))
    expect((await verifyByRecomputation(archive, { ...PINNED, rows: { ...given, rows: others } })).ok).to.equal(false)
    const forged = await forge(await openMembers(archive), {
      changes: {
        'evals.json': (document) => ({
          ...document,
          digests: (Array.isArray(document['digests']) ? document['digests'] : []).map((row: Json, i): Json =>
            i === 0 && isJsonObject(row) ? { ...row, output: `sha256:${'0'.repeat(64)}` } : row,
          ),
        }),
      },
      isThorough: true,
    })
    expect((await verifyArchive(forged, PINNED)).ok).to.equal(true)
    expect((await verifyByRecomputation(forged, { ...PINNED, rows: { ...given, rows } })).ok).to.equal(false)
  }).timeout(180_000)

  it('holds digests of more than 1,000 rows, and is recomputed with them', async () => {
    const rows = boxRows(1001)
    const { archive } = await compileArchive(rows, { floor: 0, workBudget: 20_000 })
    const result = await verifyByRecomputation(archive, { ...PINNED, rows: { rows, negatives: [], unlabelled: [] } })
    expect(result.checks.filter(({ status }) => status !== 'pass')).to.deep.equal([])
    const { evals } = result.opened?.content ?? {}
    expect(evals).to.deep.include({ n: 1001, shown: 0, rows: [] })
  }).timeout(120_000)
})
