import { expect } from 'chai'
import { fails, pairsOf, rowsOf } from '../intake/given-intake.ts'

describe('a column', () => {
  it('counts as its own column what only looks like a mark or an id', async () => {
    const [row] = await rowsOf('id,kind,output\n7,apple,x\n7,pear,y\n')
    expect(row).to.deep.equal({ id: 'row_1', input: { id: '7', kind: 'apple' }, output: 'x' })
  })

  it('has ids in a column of that name, in any letter case, unless they are the only input', async () => {
    for (const name of ['id', 'ID', 'Id']) {
      const [row] = await rowsOf(`${name},Name,Short\n7,Ada,A\n8,Bob,B\n`)
      expect(row).to.deep.equal({ id: '7', input: 'Ada', output: 'A' })
      expect(await pairsOf(`${name},Padded\n7,007\n8,008\n`)).to.deep.equal([
        ['7', '007'],
        ['8', '008'],
      ])
    }
  })

  it('with one cell beside the rows is left out, and keeps answers of which one is filled in', async () => {
    const people = ['Ada', 'Bob', 'Cy', 'Di']
    const pairs = people.map((name) => [name, name.slice(0, 1)])
    const lines = pairs.map((pair, i) => `${pair.join(',')},${i === 1 ? 'check' : ''}`)
    expect(await pairsOf(`name,short,\n${lines.join('\n')}\n`)).to.deep.equal(pairs)
    const objects = pairs.map(([name, short], i) => ({ name, ...(i === 0 && { title: 'Dr' }), short }))
    expect((await rowsOf(JSON.stringify(objects)))[0]?.input).to.deep.equal({ name: 'Ada', title: 'Dr' })
    expect(await pairsOf('name,short\nAda,A\nBob,\nCy,\nDi,\n')).to.deep.equal([['Ada', 'A']])
  })

  it('with a name and one filled cell may be the answer: a file asks, and objects have it there', async () => {
    const people = ['Ada', 'Bob', 'Cy', 'Di', 'Eve']
    const csv = `name,short,mood\n${people.map((name, i) => `${name},${name[0]},${i === 1 ? 'glad' : ''}`).join('\n')}\n`
    const error = await fails(pairsOf(csv))
    expect(error.message).to.match(/^mapping\.output: may be "short", or "mood"/)
    expect(await pairsOf(csv, { output: 'short' })).to.deep.equal(people.map((name) => [name, name[0]]))
    const objects = people.map((name, i) => ({ name, short: name[0], ...(i === 1 && { mood: 'glad' }) }))
    expect(await pairsOf(JSON.stringify(objects))).to.deep.equal([[{ name: 'Bob', short: 'B' }, 'glad']])
  })
})
