import { expect } from 'chai'
import { verifyArchive } from '../../../core/compile/archive/verify.ts'
import { toJwk } from '../../../core/ledger/keys/jwk.ts'
import { fixedSigningKey } from '../../support/archives/archives.ts'
import { attestedFacts, isAttested } from '../../support/archives/attested.ts'
import { changedRows, inside, rowsOfDocument, seeds, set } from '../../support/archives/changes.ts'
import { compileArchive } from '../../support/archives/compiled.ts'
import { forge, openMembers, type Change, type Members } from '../../support/archives/forge.ts'
import { walkLeaves } from '../../support/archives/leaf-walk.ts'
import { rowsOf } from '../../compile/core/rows/given-rows.ts'

const PINNED = [toJwk(fixedSigningKey().publicKey)]

/** Changes of folds by a forger with a pinned key. */
const FOLD_FORGERIES: readonly (readonly [string, Readonly<Record<string, Change>>])[] = [
  [
    'a row that stands there twice',
    {
      'evals.json': (document) =>
        changedRows((row, i) => (i === 1 ? { ...rowsOfDocument(document)[0], id: 'r' } : row))(document),
    },
  ],
  [
    'a changed fold number',
    { 'evals.json': changedRows((row, i) => (i === 0 ? { ...row, fold: row['fold'] === 0 ? 1 : 0 } : row)) },
  ],
  [
    'two rows that changed folds',
    {
      'evals.json': (document) => {
        const rows = rowsOfDocument(document)
        const other = rows.findIndex((row) => row['fold'] !== rows[0]?.['fold'])
        const swap = new Map([
          [0, other],
          [other, 0],
        ])
        return changedRows((row, i) => ({ ...row, fold: rows[swap.get(i) ?? i]?.['fold'] ?? null }))(document)
      },
    },
  ],
  ['a fold that is missing', { 'evals.json': changedRows((row) => (row['fold'] === 4 ? { ...row, fold: 3 } : row)) }],
  ['a row in no fold', { 'evals.json': changedRows((row, i) => (i === 0 ? { ...row, fold: null } : row)) }],
  ['a row in a sixth fold', { 'evals.json': changedRows((row, i) => (i === 0 ? { ...row, fold: 5 } : row)) }],
  [
    'a row that was left out',
    {
      'evals.json': (document) => ({
        ...document,
        n: 11,
        shown: 11,
        correct: 11,
        rows: rowsOfDocument(document).slice(1),
      }),
    },
  ],
  ['other sizes of folds', seeds(set({ fold_sizes: [4, 2, 2, 2, 2] }))],
  ['four folds', seeds(set({ fold_sizes: [3, 3, 3, 3] }))],
  ['no folds', seeds(set({ fold_sizes: null, fold_rule: null }))],
  ['another seed', seeds(set({ split_seed: 'another' }))],
  ['another rule', seeds(set({ fold_rule: 'svc-folds-0' }))],
  ['rows to learn from that were not scored', seeds(set({ train_count: 40, source_seed_count: 40 }))],
  [
    'a leakage report of other rows',
    seeds(inside('leakage_report', set({ near_duplicate_groups: 1, near_duplicate_rows: 2 }))),
  ],
  [
    'folds that are called a holdout',
    { ...seeds(set({ split_mode: 'holdout' })), 'evals.json': set({ mode: 'holdout' }) },
  ],
  [
    'folds that are called test rows',
    { ...seeds(set({ split_mode: 'test_rows' })), 'evals.json': set({ mode: 'test_rows' }) },
  ],
  [
    'evidence of an earlier version',
    seeds(({ spec: _spec, ...rest }) => ({
      ...rest,
      split_mode: 'leave_one_out',
      holdout_ratio: 0.2,
      synthetic_count: 0,
    })),
  ],
]

describe('a signature over forged folds', () => {
  let genuine: Members

  before(async () => {
    const rows = rowsOf(Array.from({ length: 12 }, (_, i) => [`item ${i * 7}`, `${i * 7}`] as const))
    genuine = await openMembers((await compileArchive(rows, { workBudget: 400_000 })).archive)
  })

  it('verifies when nothing is forged', async () => {
    for (const isThorough of [false, true]) {
      const result = await verifyArchive(await forge(genuine, { changes: {}, isThorough }), { trustedKeys: PINNED })
      expect(result, result.detail).to.deep.include({ ok: true, trusted: 'trusted' })
    }
  })

  for (const [name, changes] of FOLD_FORGERIES) {
    it(`does not make valid: ${name}`, async () => {
      for (const isThorough of [false, true]) {
        const forged = await forge(genuine, { changes, isThorough })
        const result = await verifyArchive(forged, { trustedKeys: PINNED })
        expect(result.ok, name).to.equal(false)
        expect(['evals_mismatch', 'provenance_mismatch', 'invalid_archive']).to.include(result.reason)
      }
    })
  }

  it('does not survive on any leaf but those that the format calls attested', async () => {
    const attested = await attestedFacts()
    const { forgeries, survivors } = await walkLeaves(genuine, { perFact: true, inside: ['build.json', 'evals.json'] })
    expect(forgeries).to.be.greaterThan(100)
    const accepted = survivors.filter(({ leaf }) => !isAttested(leaf, attested))
    expect(accepted.map(({ leaf, change }) => `${leaf} ${change}`)).to.deep.equal([])
  }).timeout(180_000)
})
