import { expect } from 'chai'
import { packParts } from '../../../../../core/compile/rows/table/workbook/pack.ts'
import { chooseSheet, sheetsOf } from '../../../../../core/compile/rows/table/workbook/sheets.ts'
import { looksLikeWorkbook, unpackWorkbook } from '../../../../../core/compile/rows/table/workbook/unpack.ts'
import { workbook } from '../../../../support/wire/workbook.ts'
import { fails } from '../intake/given-intake.ts'

const MB = 1024 * 1024
const SHEET = { name: 'People', rows: [['Name', 'Short']] }

/** Takes the last member out of the directory of a zip; its bytes stay. */
function hideLast(zip: Buffer): Buffer {
  const end = Buffer.from(zip.subarray(zip.lastIndexOf('PK\x05\x06', undefined, 'latin1')))
  const last = zip.lastIndexOf('PK\x01\x02', undefined, 'latin1')
  const members = end.readUInt16LE(10) - 1
  end.writeUInt16LE(members, 8)
  end.writeUInt16LE(members, 10)
  end.writeUInt32LE(last - end.readUInt32LE(16), 12)
  return Buffer.concat([zip.subarray(0, last), end])
}

describe('a workbook', () => {
  it('goes to the reader of cells with its checked parts only', async () => {
    const bytes = hideLast(await workbook([SHEET], { 'xl/bomb.xml': Buffer.alloc(8 * MB) }))
    expect(bytes.includes('xl/bomb.xml')).to.equal(true)
    const parts = await unpackWorkbook(bytes, MB)
    const packed = await packParts(parts)
    expect(packed.includes('xl/bomb.xml')).to.equal(false)
    expect(await unpackWorkbook(packed, MB)).to.deep.equal(parts)
  })

  it('is read at the first sheet with several rows and columns, as long as none is named', async () => {
    const note = { name: 'Note', rows: [['Internal list'], ['See the next sheet']] }
    const full = {
      name: 'Full',
      rows: [
        ['a', 'b'],
        ['c', 'd'],
      ],
    }
    const parts = await unpackWorkbook(await workbook([note, SHEET, full]), MB)
    const sheets = sheetsOf(parts)
    const examples = (sheet?: string) => ({ sheet, contents: 'examples' }) as const
    expect(chooseSheet(sheets, parts, examples()).entry.name).to.equal('Full')
    expect(chooseSheet(sheets, parts, examples()).reason).to.contain('several rows and columns')
    expect(chooseSheet(sheets.slice(0, 2), parts, examples()).entry.name).to.equal('Note')
    expect(chooseSheet(sheets, parts, examples('2')).entry.name).to.equal('People')
    const word = { name: 'Word', rows: [['Internal']] }
    const choose = async (...given: readonly (typeof note)[]) => {
      const inputs = await unpackWorkbook(await workbook(given), MB)
      return chooseSheet(sheetsOf(inputs), inputs, { sheet: undefined, contents: 'inputs' })
    }
    const chosen = await choose(word, note)
    expect(chosen).to.deep.include({ reason: 'the first with several rows; name another with `sheet`' })
    expect(chosen.entry.name).to.equal('Note')
    expect((await choose(word, full, note)).entry.name).to.equal('Full')
    const { message } = await fails(choose(word, note, full))
    expect(message).to.equal('mapping.sheet: may be "Note" or "Full"; name the sheet that holds the inputs')
  })

  it('has cells whose places are left out, which follow the cell or row before', async () => {
    const cells =
      '<row><c t="inlineStr"><is><t>Name</t></is></c><c/></row>' +
      '<row r="4"><c r="C4"><v>1</v></c><c s="1"><v>2</v></c></row><row><c r="AA5"/><c><v>3</v></c></row>'
    const part = 'xl/worksheets/sheet1.xml'
    const parts = await unpackWorkbook(
      await workbook([SHEET], { [part]: `<worksheet><sheetData>${cells}</sheetData></worksheet>` }),
      MB,
    )
    const places = Array.from(
      parts
        .get(part)
        ?.toString()
        .matchAll(/<c r="(\w+)"/g) ?? [],
      ([, place]) => place,
    )
    expect(places).to.deep.equal(['A1', 'B1', 'C4', 'D4', 'AA5', 'AB5'])
  })

  it('is known by the four bytes of a zip', async () => {
    expect(looksLikeWorkbook(await workbook([SHEET]))).to.equal(true)
    for (const text of ['PK,name,output\n1,a,b\n', 'PK', '']) {
      expect(looksLikeWorkbook(Buffer.from(text)), text).to.equal(false)
    }
  })
})
