import { existsSync, globSync } from 'node:fs'
import { expect } from 'chai'
import { LONG_FILES } from '../runner/long-files.ts'
import { areaOf, selectFiles } from '../runner/select.ts'

const ALL = { areas: [], isQuick: false, paths: [] }

describe('the selection of tests', () => {
  const files = globSync('test/**/*.test.ts').toSorted()

  it('has every file once, the longest first', () => {
    const selected = selectFiles('.', files, ALL)
    expect(selected.toSorted()).to.deep.equal(files)
    const [longest] = Object.entries(LONG_FILES).toSorted(([, one], [, other]) => other - one)
    expect(selected[0]).to.equal(longest?.[0])
  })

  it('knows only long files that exist', () => {
    expect(Object.keys(LONG_FILES).filter((file) => !existsSync(file))).to.deep.equal([])
  })

  it('of an area has its folder and its holes, and refuses an area without tests', () => {
    const selected = selectFiles('.', files, { ...ALL, areas: ['compile'] })
    expect(new Set(selected.map(areaOf))).to.deep.equal(new Set(['compile']))
    expect(selected.some((file) => file.startsWith('test/compile/'))).to.equal(true)
    expect(selected.some((file) => file.startsWith('test/holes/compile/'))).to.equal(true)
    expect(() => selectFiles('.', files, { ...ALL, areas: ['nowhere'] })).to.throw('no tests of nowhere')
  })

  it('that is quick starts no worker and is about half of the files', () => {
    const quick = selectFiles('.', files, { ...ALL, isQuick: true })
    expect(quick).to.include('test/kernel/core/json-text.test.ts')
    expect(quick).to.not.include('test/compile/workflows/compile.test.ts')
    expect(quick).to.not.include('test/workers/main.test.ts')
    expect(quick.length).to.be.greaterThan(files.length / 3)
  })
})
