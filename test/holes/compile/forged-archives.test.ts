import { expect } from 'chai'
import { verifyManifest } from '../../../core/compile/archive/verify/verify-manifest.ts'
import { isRecomputed } from '../../../core/compile/archive/recompute/is-recomputed.ts'
import { verifyByRecomputation } from '../../../core/compile/archive/recompute/recompute.ts'
import { verifyArchive, type VerificationReason } from '../../../core/compile/archive/verify.ts'
import { toJwk } from '../../../core/ledger/keys/jwk.ts'
import { isJsonObject, type JsonObject } from '../../../core/kernel/json/json.ts'
import { evalsOf, fixedSigningKey, sealFixture, upperRows } from '../../support/archives/archives.ts'
import { attestedFacts, isAttested } from '../../support/archives/attested.ts'
import { compileArchive } from '../../support/archives/compiled.ts'
import { forge, openMembers, type Change, type Members } from '../../support/archives/forge.ts'
import { walkLeaves } from '../../support/archives/leaf-walk.ts'
import { changedRows, inside, rowsOfDocument, seeds, set, without } from '../../support/archives/changes.ts'
import { nameRows, rowsOf } from '../../compile/core/rows/given-rows.ts'

const PINNED = [toJwk(fixedSigningKey().publicKey)]

const envelope = (change: Change): Record<string, Change> => ({ 'build.json': inside('k_score_envelope', change) })
const perfect = set({ axes: { A: 1, S: 1, L: 1, C: 1, V: 1 }, composite: 1, accuracy: 1 })

/** Changes by a forger with a pinned key, each with the reason of its refusal. */
const FORGERIES: readonly (readonly [string, Readonly<Record<string, Change>>, VerificationReason])[] = [
  [
    'a wrong answer that is called correct',
    { 'evals.json': changedRows((row, i) => (i === 0 ? { ...row, output: 'b' } : row)) },
    'evals_mismatch',
  ],
  [
    'another expected output, called correct',
    { 'evals.json': changedRows((row, i) => (i === 0 ? { ...row, expected: 'b' } : row)) },
    'evals_mismatch',
  ],
  [
    'a correct answer that is called wrong',
    {
      'evals.json': (document) => ({ ...changedRows((row, i) => ({ ...row, correct: i > 0 }))(document), correct: 11 }),
    },
    'evals_mismatch',
  ],
  [
    'no right answer, K 0.99 and no accuracy',
    {
      'evals.json': (document) => ({
        ...changedRows((row) => ({ ...row, output: 'wrong', correct: false }))(document),
        correct: 0,
      }),
      'build.json': (document) =>
        inside(
          'k_score_envelope',
          without('accuracy'),
        )(inside('k_score_envelope', set({ composite: 0.99 }))({ ...document, k_score: 0.99 })),
    },
    'invalid_archive',
  ],
  [
    'no right answer, K 0.99 and an accuracy of 1',
    {
      'evals.json': (document) => ({
        ...changedRows((row) => ({ ...row, output: 'wrong', correct: false }))(document),
        correct: 0,
      }),
    },
    'k_score_mismatch',
  ],
  ['no rows and K 1', { 'evals.json': set({ rows: [], n: 0, shown: 0, correct: 0, abstained: 0 }) }, 'evals_mismatch'],
  [
    'a million million rows, half of them answered',
    {
      'evals.json': set({ n: 1e12, correct: 12 }),
      'build.json': inside('k_score_envelope', set({ n: 1e12, coverage: 0.5 })),
    },
    'evals_mismatch',
  ],
  ['no row shown of 12', { 'evals.json': set({ rows: [], shown: 0 }) }, 'evals_mismatch'],
  [
    'half of the rows left out',
    { 'evals.json': (document) => ({ ...document, rows: rowsOfDocument(document).slice(6), shown: 6 }) },
    'evals_mismatch',
  ],
  ['axes of 0 with a composite of 1', envelope(set({ axes: { A: 0, S: 0, L: 0, C: 0, V: 0 } })), 'k_score_mismatch'],
  [
    'perfect axes of a poor recipe',
    { 'build.json': (document) => inside('k_score_envelope', perfect)({ ...document, k_score: 1 }) },
    'k_score_mismatch',
  ],
  ['a narrower interval', envelope(set({ interval: { low: 0.99, high: 1 } })), 'k_score_mismatch'],
  ['a smaller size', envelope(set({ size_bytes: 1 })), 'k_score_mismatch'],
  ['a lower coverage', envelope(set({ coverage: 0.5 })), 'k_score_mismatch'],
  ['more rows than evaluated', envelope(set({ n: 1200 })), 'k_score_mismatch'],
  ['a gate that is not the floor', envelope(set({ gate: 0 })), 'k_score_mismatch'],
  ['another weight of the axes', envelope(set({ weights: { base: 1, spread: 0 } })), 'k_score_mismatch'],
  ['a gate that did not pass', envelope(set({ ships: false })), 'k_score_mismatch'],
  ['a K below the floor', { 'build.json': set({ k_score_floor: 1 }) }, 'k_score_below_floor'],
  ['a field too many in the envelope', envelope(set({ note: 'audited' })), 'invalid_archive'],
  [
    'an abstention with an output',
    { 'evals.json': changedRows((row) => ({ ...row, abstained: true })) },
    'evals_mismatch',
  ],
  [
    'one right row twelve times',
    {
      'evals.json': (document) => changedRows((_row, i) => ({ ...rowsOfDocument(document)[0], id: `r${i}` }))(document),
    },
    'evals_mismatch',
  ],
  ['a comparator that the task does not have', { 'evals.json': set({ comparator: 'number' }) }, 'provenance_mismatch'],
  ['another split', { 'evals.json': set({ split: 'leave_one_out' }) }, 'provenance_mismatch'],
  ['fewer held-out rows than evaluated', seeds(set({ holdout_count: 3 })), 'provenance_mismatch'],
  [
    'readiness for production of too few rows',
    seeds(set({ train_count: 8, source_seed_count: 20 })),
    'provenance_mismatch',
  ],
  ['made-up rows', seeds(set({ synthetic_count: 5 })), 'invalid_archive'],
  ['no leakage report', seeds(without('leakage_report')), 'invalid_archive'],
  ['a leak', seeds(inside('leakage_report', set({ input_overlap: 1 }))), 'train_holdout_leakage'],
  [
    'a verifier that accepts fewer mutants',
    { 'verifier.json': inside('soundness', set({ accepted: 0 })) },
    'provenance_mismatch',
  ],
  ['no samples', { 'build.json': set({ samples: [] }) }, 'provenance_mismatch'],
  [
    'a teacher that nothing was bought from',
    { 'build.json': inside('teacher', set({ cost_usd: 0 })) },
    'invalid_archive',
  ],
  ['another runtime', { 'capability.json': set({ runtimes: ['svc-runtime-9'] }) }, 'manifest_hash_mismatch'],
  ['a node of evidence too many', { 'evidence.json': set({ nodes: [], edges: [] }) }, 'provenance_mismatch'],
]

describe('a signature over forged facts', () => {
  /** The genuine members, sealed as forgeries are. */
  let unchanged: Uint8Array
  let genuine: Members

  before(async () => {
    const rows = upperRows(12).map((row, i) => (i === 3 ? { ...row, expected: 'other', correct: false } : row))
    genuine = await openMembers((await sealFixture({ input: { evals: evalsOf(rows) } })).archive)
    unchanged = await forge(genuine, { changes: {}, isThorough: false })
  })

  it('verifies when nothing is forged', async () => {
    for (const isThorough of [false, true]) {
      const again = await forge(genuine, { changes: {}, isThorough })
      const result = await verifyByRecomputation(again, { trustedKeys: PINNED })
      expect(result, result.detail).to.deep.include({ ok: true, trusted: 'trusted' })
    }
  })

  for (const [name, changes, reason] of FORGERIES) {
    it(`does not make valid: ${name}`, async () => {
      const reasons: (string | undefined)[] = []
      for (const isThorough of [false, true]) {
        const forged = await forge(genuine, { changes, isThorough })
        // Bringing everything in line undoes a forgery of what follows from the rest.
        if (Buffer.compare(forged, unchanged) === 0) continue
        const result = await verifyArchive(forged, { trustedKeys: PINNED })
        expect(result.ok, result.detail).to.equal(false)
        expect(result.checks.find((check) => check.name === 'signature')?.status ?? 'pass').to.equal('pass')
        reasons.push(result.reason)
      }
      expect(reasons, 'the reasons').to.include(reason)
    })
  }

  it('does not survive on any leaf but those that the format calls attested', async () => {
    const attested = await attestedFacts()
    expect(attested).to.include('build.json: k_score_envelope.p50_latency_us.*').and.have.length.greaterThan(60)
    const small = upperRows(4).map((row, i) => (i === 3 ? { ...row, expected: 'other', correct: false } : row))
    const sealed = await sealFixture({ input: { evals: evalsOf(small) }, facts: { kScoreFloor: 0.5 } })
    const { forgeries, survivors } = await walkLeaves(await openMembers(sealed.archive), { perFact: true })
    // bench/attacks walks every leaf of real archives.
    expect(forgeries).to.be.greaterThan(150)
    const accepted = survivors.filter(({ leaf }) => !isAttested(leaf, attested))
    expect(accepted.map(({ leaf, change }) => `${leaf} ${change}`)).to.deep.equal([])
  }).timeout(180_000)
})

describe('a manifest alone', () => {
  it('is not verified when it contradicts itself, however right its hashes are', async () => {
    const { manifest, cid } = await sealFixture()
    const given: JsonObject = JSON.parse(JSON.stringify(manifest))
    expect(verifyManifest(cid, given['hashes'], given)).to.deep.include({ verified: true, cid })
    const table = isJsonObject(given['members']) ? given['members'] : {}
    const lines = { ...table, 'evals.json': { sha256: `sha256:${'0'.repeat(64)}`, size_bytes: 1, role: 'evals' } }
    for (const [what, changes] of Object.entries<JsonObject>({
      'hashes and members disagree about evals.json': { members: lines },
      'k_score is below k_score_floor': { k_score: 0.1 },
      'artifact_class is not the kind of the entry': { artifact_class: 'classifier' },
      k_score: { k_score: 2 },
      'members lacks training.json': { artifact_class: 'lora', entry: { ...manifest.entry, kind: 'lora' } },
      'its cid or hashes are others': { cid: `cidv1:sha256:${'0'.repeat(64)}` },
    })) {
      const found = verifyManifest(cid, given['hashes'], { ...given, ...changes })
      expect(found, what).to.deep.include({ verified: false, manifest_hash_verified: true })
      expect(found.reason).to.include(what)
    }
    // A block of hashes without the rest of a manifest is still what the route takes.
    expect(verifyManifest(cid, given['hashes'], { hashes: given['hashes'] ?? null }).verified).to.equal(true)
  })
})

describe('running the evaluation again', () => {
  it('finds outputs and expected outputs that were forged together', async () => {
    const genuine = await openMembers((await sealFixture()).archive)
    const both = changedRows((row, i) => (i === 0 ? { ...row, output: 'b', expected: 'b' } : row))
    const forged = await forge(genuine, { changes: { 'evals.json': both }, isThorough: true })
    // Rows that agree with one another are all that the members say.
    expect((await verifyArchive(forged, { trustedKeys: PINNED })).ok).to.equal(true)
    expect(await verifyByRecomputation(forged, { trustedKeys: PINNED })).to.deep.include({
      ok: false,
      reason: 'evals_mismatch',
    })
  })

  it('tells a failed row from an answer of null', async () => {
    const program = { language: 'svc-recipe-1', body: { op: 'field', of: { op: 'input' }, name: 'a' } }
    const rows = Array.from({ length: 12 }, (_, i) => ({
      id: `row_${i}`,
      input: i === 0 ? { b: 0 } : { a: i === 1 ? null : `${i}`, b: i },
      expected: i < 2 ? null : `${i}`,
      output: i < 2 ? null : `${i}`,
      abstained: false,
      correct: i !== 0,
    }))
    const seal = async (given: typeof rows) => {
      const input = { recipe: { kind: 'program', recipe: program } as const, evals: evalsOf(given) }
      return await openMembers((await sealFixture({ input, facts: { kScoreFloor: 0.1 } })).archive)
    }
    const failed = await seal(rows.map((row, i) => (i === 0 ? { ...row, correct: true } : row)))
    const result = await verifyByRecomputation(await forge(failed, { changes: {}, isThorough: false }))
    expect(result).to.deep.include({ ok: false, reason: 'evals_mismatch' })
    expect(result.detail).to.include('row_0')
  })

  it('finds the answers of every fold again, and the whole archive from its rows', async () => {
    const { archive } = await compileArchive(nameRows(), { workBudget: 400_000 })
    const result = await verifyByRecomputation(archive, { trustedKeys: PINNED })
    expect(result.checks.filter(({ status }) => status !== 'pass')).to.deep.equal([])
    expect(isRecomputed(result)).to.equal(true)
  })

  it('leaves archives of a real compile valid', async () => {
    const rows = rowsOf(Array.from({ length: 30 }, (_, i) => [`item ${i * 7}`, `${i * 7}`] as const))
    const marked = rows.map((row, i) => (i % 5 === 0 ? { ...row, kind: 'test' as const } : row))
    const { archive } = await compileArchive(marked, { workBudget: 400_000 })
    const result = await verifyByRecomputation(archive, { trustedKeys: PINNED })
    expect(result.checks.filter(({ status }) => status !== 'pass')).to.deep.equal([])
  })
})
