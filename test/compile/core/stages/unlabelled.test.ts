import { expect } from 'chai'
import { decodeJson } from '../../../../core/compile/archive/members/members-json.ts'
import { unpackArchive } from '../../../../core/compile/archive/unpack.ts'
import { verifyArchive } from '../../../../core/compile/archive/verify.ts'
import { factsOf } from '../../../../core/compile/rows/intake/example.ts'
import { verifyCandidates } from '../../../../core/compile/stages/judge/verify.ts'
import { sampleCandidates } from '../../../../core/compile/stages/sample/sample.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { compileArchive } from '../../../support/archives/compiled.ts'

const ROWS: readonly Row[] = ['5/5/2024', '7/7/2023', '11/11/2021', '3/3/2020', '12/12/2019'].map((input, i) => {
  const [day = '', , year = ''] = input.split('/')
  const two = day.padStart(2, '0')
  return { id: `row_${i + 1}`, input, output: `${year}-${two}-${two}` }
})
const INPUTS = ['12/25/2024', '1/31/2022', '10/20/2025', '4/30/2019']

function compile(unlabelled: readonly Json[]) {
  const common = { task: 'Write the date', rows: ROWS, negatives: [], facts: factsOf(ROWS) }
  const sample = sampleCandidates({
    ...common,
    unlabelled: unlabelled.map((input, i) => ({ id: `unlabelled_${i + 1}`, input })),
    k: 3,
    budgetMs: 60_000,
  })
  return { sample, output: verifyCandidates({ ...common, sample, floor: 0.5 }) }
}

describe('a compile with unlabelled inputs', () => {
  it('keeps the programs that get every row right, and measures how many inputs they leave open', () => {
    const { sample, output } = compile(INPUTS)
    expect(output.chosen?.kind).to.equal('program')
    expect(sample.posterior?.candidates).to.have.length.within(2, 64)
    expect(sample.posterior?.inputs).to.have.members(INPUTS)
    expect(output.undecided).to.deep.include({ basis: 'measured', n: INPUTS.length })
    expect(output.split.provenance).to.deep.include({ unlabelled_count: INPUTS.length })
  })

  it('does not count inputs of rows', () => {
    const { output } = compile([...INPUTS, '5/5/2024'])
    expect(output.undecided).to.deep.include({ n: INPUTS.length })
  })

  it('says without them that it measured nothing', () => {
    const { sample, output } = compile([])
    expect(sample.posterior).to.equal(undefined)
    expect(output.undecided).to.deep.equal({ basis: 'not_measured', why: 'no unlabelled inputs were given' })
  })

  it('states them in build.json, in an archive that verifies and has the same CID again', async () => {
    const first = await compileArchive(ROWS, { unlabelled: INPUTS })
    const again = await compileArchive(ROWS, { unlabelled: INPUTS })
    expect(again.cid).to.equal(first.cid)
    const result = await verifyArchive(first.archive)
    expect(result.ok, result.detail).to.equal(true)
    const { members } = await unpackArchive(first.archive)
    const build = decodeJson(members.get('build.json') ?? new Uint8Array(), 'build.json')
    expect(build).to.have.nested.property('undecided.basis', 'measured')
    expect(build).to.have.nested.property('undecided.n', INPUTS.length)
    expect(build).to.have.property('unlabelled_inputs').that.has.members(INPUTS)
  })
})
