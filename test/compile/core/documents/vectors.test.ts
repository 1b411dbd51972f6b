import { expect } from 'chai'
import { fuseRankings } from '../../../../core/compile/documents/ranking/fuse.ts'
import { bestOfAll } from '../../../../core/compile/documents/vectors/best-rows.ts'
import { VectorMatrix } from '../../../../core/compile/documents/vectors/vector-matrix.ts'
import { openVectorSearch } from '../../../../core/compile/documents/vectors/vector-search.ts'
import { createCores } from '../../../../core/kernel/threads/cores.ts'
import { normalised } from '../../../../core/model/embedding/normalised.ts'
import { seededNumbers } from '../../../model/llama/tiny-model.ts'

const DIMENSIONS = 48

/** Vectors around some centres, as those of texts are. */
function givenMatrix(rows: number): VectorMatrix {
  const next = seededNumbers(3)
  const centres = Array.from({ length: 20 }, () => Array.from({ length: DIMENSIONS }, next))
  const matrix = new VectorMatrix(DIMENSIONS)
  for (let row = 0; row < rows; row++) {
    const centre = centres[row % centres.length] ?? []
    const vector = normalised(Float32Array.from(centre, (value) => value + 0.7 * next()))
    matrix.add({ documentId: `doc_${Math.floor(row / 10)}`, seq: row % 10 }, vector)
  }
  return matrix
}

const query = normalised(Float32Array.from({ length: DIMENSIONS }, seededNumbers(11)))

describe('the search for vectors', () => {
  const search = openVectorSearch(createCores(1), 1500)
  after(async () => await search.close())
  const find = async (matrix: VectorMatrix, most = 10) =>
    await search.search({ tenantId: 'ten_a', key: 'all', matrix: matrix.view, query, most })

  it('finds the rows that a comparison of all in full finds', async () => {
    const matrix = givenMatrix(1200)
    const found = await find(matrix)
    expect(found).to.include({ search: 'brute_force', hasLibrary: true })
    expect(found.rows).to.deep.equal(bestOfAll(matrix.view, query, 10))
  })

  it('searches a graph of neighbours in larger namespaces, and compares all until it is built', async () => {
    const matrix = givenMatrix(2000)
    const first = await find(matrix)
    expect(first.search).to.equal('brute_force')
    expect(first.rows).to.deep.equal(bestOfAll(matrix.view, query, 10))
    let found = first
    while (found.search === 'brute_force') found = await find(matrix)
    const exact = new Set(bestOfAll(matrix.view, query, 10).map(({ row }) => row))
    expect(found.rows.filter(({ row }) => exact.has(row)).length).to.be.greaterThan(8)
  })

  it('forgets the vectors of documents that are gone', () => {
    const matrix = givenMatrix(100).without(new Set(['doc_0', 'doc_9']))
    expect(matrix.count).to.equal(80)
    expect([...matrix.documents()].slice(0, 2)).to.deep.equal(['doc_1', 'doc_2'])
    const [best] = bestOfAll(matrix.view, query, 1)
    expect(best?.similarity).to.be.closeTo(
      Math.max(
        ...bestOfAll(givenMatrix(100).view, query, 100).flatMap(({ row, similarity }) =>
          row < 10 || row >= 90 ? [] : [similarity],
        ),
      ),
      1e-6,
    )
  })

  it('joins rankings by reciprocal ranks', () => {
    const place = (documentId: string) => ({ documentId, seq: 0 })
    const fused = fuseRankings(['a', 'b', 'c'].map(place), ['c', 'a', 'd'].map(place))
    expect(fused.map(({ documentId }) => documentId)).to.deep.equal(['a', 'c', 'b', 'd'])
    expect(fused[0]?.score).to.be.closeTo(1 / 61 + 1 / 62, 1e-12)
    expect(fused[3]).to.include({ lexicalRank: null, vectorRank: 3 })
  })
})
