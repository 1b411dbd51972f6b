import { expect } from 'chai'
import { openInputs } from '../../../../core/compile/rows/inputs/open-inputs.ts'
import type { TableMapping } from '../../../../core/compile/rows/table/mapping.ts'
import { sheetLine } from '../../../../core/compile/rows/table/workbook/sheet-table.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { chunksOf, fails, UPLOAD } from './intake/given-intake.ts'

/** A file, and the recipe's type of values. */
interface Given {
  readonly mapping?: TableMapping
  readonly format?: 'text' | 'sheet'
  readonly value?: 'text' | 'number'
  /** Rows that are left out as titles and repeated headers. */
  readonly leftOut?: number
}

/** The inputs that a recipe reads whose examples had them in the column `Name`. */
async function inputsOf(
  text: string,
  { mapping = {}, format = 'text', value: type = 'text', leftOut = 0 }: Given = {},
): Promise<(Json | undefined)[]> {
  const shape = { value: type, members: null, required: new Set<string>(), column: 'Name' } as const
  const opened = await openInputs({ format, mapping }, () => chunksOf(text), { shape, bounds: UPLOAD })
  const inputs: (Json | undefined)[] = []
  for await (const block of opened.read()) for (const { value } of block) inputs.push(value)
  expect(inputs).to.have.length(opened.rows)
  expect(opened.leftOut).to.equal(leftOut)
  return inputs
}

describe('inputs of a file', () => {
  it('are read from the column of the examples, in any letter case', async () => {
    expect(await inputsOf('name,short\nAda,A\nAlan,\n')).to.deep.equal(['Ada', 'Alan'])
    expect(await inputsOf('{"Name":"Ada","id":7}\n{"Name":"Alan"}\n')).to.deep.equal(['Ada', 'Alan'])
  })

  it('begin with the first row of a bare column, unless that is the name', async () => {
    expect(await inputsOf('Ada Lovelace\nAlan Turing\n')).to.deep.equal(['Ada Lovelace', 'Alan Turing'])
    expect(await inputsOf('NAME\nAda Lovelace\nAlan Turing\n')).to.deep.equal(['Ada Lovelace', 'Alan Turing'])
    expect(await inputsOf('person\n12\n13\n')).to.deep.equal(['12', '13'])
    expect(await inputsOf('The food was good.\nBad\nToo salty, too late!\n')).to.have.length(3)
  })

  it('are whole lines with commas and semicolons before a space below the name of the column', async () => {
    const text = 'Name\nLovelace, Ada\nTuring, Alan\n"Hopper; Grace"\nEve\n'
    const names = ['Lovelace, Ada', 'Turing, Alan', 'Hopper; Grace', 'Eve']
    expect(await inputsOf(text)).to.deep.equal(names)
    const mapping = { input: ['Person'] }
    expect(await inputsOf(text.replace('Name', 'person'), { mapping })).to.deep.equal(names)
  })

  it('are cells of a table below a title that is the name of the column', async () => {
    const table = 'id,Name,city\n1,Ada,Rome\n2,Alan,Oslo\n3,Eve,Bern\n'
    for (const text of [`Name\n\n${table}`, `Name\n${table}`]) {
      expect(await inputsOf(text, { leftOut: 1 })).to.deep.equal(['Ada', 'Alan', 'Eve'])
    }
    const other = `Name\n${table.replace('Name', 'Person')}`
    expect(await inputsOf(other, { mapping: { input: ['Person'] }, leftOut: 1 })).to.deep.equal(['Ada', 'Alan', 'Eve'])
    expect(await inputsOf('Name\nAda\n\nName,Age\nBob,3\nEve,4', { leftOut: 2 })).to.deep.equal(['Bob', 'Eve'])
  })

  it('have no delimiters of empty cells behind them', async () => {
    expect(await inputsOf('Name\nAda,,\nBob,,\n')).to.deep.equal(['Ada', 'Bob'])
    expect(await inputsOf('Name\r\nAda;\r\nBob;\r\n')).to.deep.equal(['Ada', 'Bob'])
  })

  it('are asked for where rows below the name have tabs, vertical bars, or numbers that count them', async () => {
    for (const text of ['Name\nAda\tnote\nBob\tnote2\n', 'Name\nAda | a\nBob | b\n']) {
      expect((await fails(inputsOf(text))).message).to.include('name the input column')
    }
    for (const text of ['Name\n0,Ada\n1,Bob\n', 'Name\n1, Ada\n2, Bob\n']) {
      expect((await fails(inputsOf(text))).message).to.match(/^line\[2\]: has 2 cells, the first row has 1/)
    }
  })

  it('are no whole lines where the request says that there is no header', async () => {
    const mapping = { header: false }
    expect(await inputsOf('Name\nLovelace, Ada\nTuring, Alan\n', { mapping })).to.deep.equal([
      'Name',
      undefined,
      undefined,
    ])
  })

  it('begin below the first row of a bare column that is likely a name, or is one by the mapping', async () => {
    expect(await inputsOf('Customer\nAda Lovelace\nAlan Mathison Turing\n')).to.deep.equal([
      'Ada Lovelace',
      'Alan Mathison Turing',
    ])
    for (const mapping of [{ input: ['customer'] }, { header: true }]) {
      expect(await inputsOf('Customer\nAda\nAlan\n', { mapping })).to.deep.equal(['Ada', 'Alan'])
    }
    expect(await inputsOf('Customer\nAda\nAlan\n', { mapping: { header: false } })).to.have.length(3)
  })

  it('are refused where the first row of a bare column may be either', async () => {
    for (const text of ['Customer\nAda\nAlan\n', 'Customer name\nAda\n12 Alan\n']) {
      const { message } = await fails(inputsOf(text))
      expect(message).to.match(
        /^line\[1\]: "Customer( name)?" may be the name of the column or an input; .*"Name".*`header`/,
      )
    }
  })

  it('are numbers for a recipe of numbers, also where a sheet shows them with zeros in front', async () => {
    const sheet = [['Name'], ['01067'], [4109], ['n/a']].map((cells, i) => sheetLine(i + 1, cells)).join('')
    expect(await inputsOf(sheet, { format: 'sheet', value: 'number' })).to.deep.equal([1067, 4109, 'n/a'])
    expect(await inputsOf('Name\n01067\n', { value: 'number' })).to.deep.equal(['01067'])
  })

  it('are in columns whose names are texts, also where a long one is cut off inside of a character', async () => {
    const shape = { value: 'text', members: null, required: new Set<string>(), column: null } as const
    const text = `${'a'.repeat(199)}😀,b\nAda,1\n`
    const { columns } = await openInputs({ format: 'text', mapping: { input: ['b'] } }, () => chunksOf(text), {
      shape,
      bounds: UPLOAD,
    })
    expect(columns.every((name) => name.isWellFormed())).to.equal(true)
  })

  it('leave out a title and repeated headers, and count them', async () => {
    const page = `Name,n\n${'Ada,1\n'.repeat(11)}`
    expect(await inputsOf(`People,\n\n${page}${page}`, { leftOut: 2 })).to.have.length(22)
    for (const text of [
      `Linus Torvalds,\n${'Ada Lovelace,A. L.\n'.repeat(24)}`,
      `n/a,unknown\n${'n/a,unknown\n12,ok\n13,ok\n'.repeat(8)}`,
    ]) {
      expect(await inputsOf(text, { mapping: { input: ['column_1'] } })).to.have.length(25)
    }
  })
})
