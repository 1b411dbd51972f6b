import { expect } from 'chai'
import { summarizeEvals } from '../../../../core/compile/archive/evals.ts'
import { decodeJson } from '../../../../core/compile/archive/members/members-json.ts'
import { isRecomputed } from '../../../../core/compile/archive/recompute/is-recomputed.ts'
import { verifyByRecomputation } from '../../../../core/compile/archive/recompute/recompute.ts'
import { unpackArchive } from '../../../../core/compile/archive/unpack.ts'
import { verifyArchive } from '../../../../core/compile/archive/verify.ts'
import { keptRows } from '../../../../core/compile/rows/split/kept-rows.ts'
import { factsOf } from '../../../../core/compile/rows/intake/example.ts'
import { condenseVerdict, listedUnlabelled } from '../../../../core/compile/stages/judge/verdict.ts'
import { verifyCandidates } from '../../../../core/compile/stages/judge/verify.ts'
import { sampleCandidates } from '../../../../core/compile/stages/sample/sample.ts'
import { toJwk } from '../../../../core/ledger/keys/jwk.ts'
import { fixedSigningKey } from '../../../support/archives/archives.ts'
import { compileArchive } from '../../../support/archives/compiled.ts'

const PINNED = { trustedKeys: [toJwk(fixedSigningKey().publicKey)] }
const rowsOf = (count: number, padding = '') =>
  Array.from({ length: count }, (_, i) => ({
    id: `row_${i + 1}`,
    input: `item ${i * 7}${padding}`,
    output: `${i * 7}`,
  }))

async function jsonOf(archive: Uint8Array, member: 'evals.json' | 'rows.json') {
  const bytes = (await unpackArchive(archive)).members.get(member)
  return bytes === undefined ? null : decodeJson(bytes, member)
}

describe('rows beyond the bounds of an archive', () => {
  it('are digests when the held-out rows have more than 16 MiB, with the reason', () => {
    const padding = 'x'.repeat(20_000)
    const rows = rowsOf(900, padding).map((row) => {
      const { output } = row
      return { ...row, expected: output, abstained: false, correct: true, fold: 0, confidence: 1 }
    })
    const evals = summarizeEvals({ mode: 'cross_fit', rows })
    expect(evals).to.include({ n: 900, shown: 0, why_digests: 'too_large' })
    expect(evals).to.have.property('digests').with.lengthOf(900)
    expect(summarizeEvals({ mode: 'cross_fit', rows: rows.slice(0, 500) })).to.include({ shown: 500 })
  })

  it('are digests beside the held-out rows too', () => {
    const learned = rowsOf(900, 'x'.repeat(20_000))
    const split = { train: learned.map((_, place) => place), holdout: [900] }
    expect(keptRows(split, learned, [], [])).to.deep.include({ spec: 'svc-rows-2', why_digests: 'too_large' })
    const unlabelled = Array.from({ length: 1001 }, (_, i) => `other ${i}`)
    expect(keptRows({ train: [0], holdout: [0] }, learned.slice(0, 1), [], unlabelled)).to.deep.include({
      spec: 'svc-rows-2',
      why_digests: 'too_many_rows',
    })
  })

  it('make an archive that verifies, and that is recomputed only from the rows in a file', async () => {
    const rows = rowsOf(12)
    const unlabelled = Array.from({ length: 1001 }, (_, i) => `item ${i * 7 + 3}`)
    const { archive } = await compileArchive(rows, { floor: 0, workBudget: 200_000, unlabelled })
    expect(await jsonOf(archive, 'rows.json')).to.include({ spec: 'svc-rows-2', why_digests: 'too_many_rows' })
    const verified = await verifyArchive(archive, PINNED)
    expect(verified.ok, verified.detail).to.equal(true)
    const alone = await verifyByRecomputation(archive, PINNED)
    expect([alone.ok, isRecomputed(alone)], alone.detail).to.deep.equal([true, false])
    const given = {
      rows,
      negatives: [],
      unlabelled: unlabelled.map((input, i) => ({ id: `unlabelled_${i + 1}`, input })),
    }
    const again = await verifyByRecomputation(archive, { ...PINNED, rows: given })
    expect(again.checks.filter(({ status }) => status !== 'pass')).to.deep.equal([])
  }).timeout(180_000)

  it('are held nowhere where the evaluated ones are digests', () => {
    const rows = rowsOf(12)
    const common = { task: 'x', rows, negatives: [], facts: factsOf(rows) }
    const unlabelled = [{ id: 'unlabelled_1', input: 'item 5' }]
    const sample = sampleCandidates({ ...common, unlabelled, k: 1, budgetMs: 60_000, workBudget: 200_000 })
    const output = verifyCandidates({ ...common, sample, floor: 0 })
    expect(condenseVerdict(output).rows).to.include({ spec: 'svc-rows-1' })
    const pad = 'x'.repeat(1_700_000)
    const large = { ...output, evals: output.evals.map((row) => ({ ...row, input: `${row.id}${pad}` })) }
    const verdict = condenseVerdict(large)
    expect(verdict.evals).to.include({ shown: 0, why_digests: 'too_large' })
    expect([verdict.rows, listedUnlabelled(verdict)]).to.deep.equal([null, undefined])
  })
})
