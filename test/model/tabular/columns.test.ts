import { expect } from 'chai'
import type { Json } from '../../../core/kernel/json/json.ts'
import { createFeatureReader } from '../../../core/model/tabular/features/feature-reader.ts'
import { inferColumns } from '../../../core/model/tabular/features/infer-columns.ts'
import { readIsoDate, readLocalDate } from '../../../core/model/tabular/features/read-dates.ts'
import { readLocalNumber, readNumber } from '../../../core/model/tabular/features/read-numbers.ts'

function featuresOf(inputs: readonly Json[], input: Json): number[] {
  const reader = createFeatureReader(inferColumns(inputs).columns)
  const out = new Float64Array(reader.features)
  reader.read(input, out, 0)
  return [...out]
}

describe('columns of a table', () => {
  it('drop what is constant or always missing, and name it', () => {
    const inputs = [1, 2, 3].map((x) => ({ x, same: 'a', none: null, deep: { empty: '' } }))
    const { columns, dropped } = inferColumns(inputs)
    expect(columns).to.deep.equal([{ kind: 'number', path: ['x'], parts: ['value'] }])
    expect(dropped).to.deep.equal([
      { path: 'deep.empty', reason: 'missing' },
      { path: 'none', reason: 'missing' },
      { path: 'same', reason: 'constant' },
    ])
  })

  it('read texts of numbers, and take the text NaN as missing', () => {
    const inputs = [...Array.from({ length: 19 }, (_, i) => ({ x: `${i}.5` })), { x: 'NaN' }]
    expect(inferColumns(inputs).columns).to.deep.equal([{ kind: 'number', path: ['x'], parts: ['value', 'missing'] }])
    expect(featuresOf(inputs, { x: '7.25' })).to.deep.equal([7.25, 0])
    expect(featuresOf(inputs, { x: 'NaN' })).to.deep.equal([NaN, 1])
    expect(['NaN', 'Infinity', '1,5', '0x10', '', true, null].map((text) => readNumber(text))).to.deep.equal(
      Array.from({ length: 7 }, () => NaN),
    )
  })

  it('hold numbers beyond 2^53 to what a double holds, and larger ones to 1e100', () => {
    expect(readNumber('9007199254740993')).to.equal(9_007_199_254_740_992)
    expect(readNumber('123456789012345678901234567890')).to.equal(1.2345678901234568e29)
    expect(readNumber('1e400')).to.equal(1e100)
    expect(readNumber(-1e300)).to.equal(-1e100)
    expect(Object.is(readNumber('-0'), 0)).to.equal(true)
  })

  it('flag a value of a category that the rows do not have', () => {
    const inputs = Array.from({ length: 30 }, (_, i) => ({ c: i === 29 ? 'rare' : i % 2 === 0 ? 'a' : 'b' }))
    const columns = [{ kind: 'category', path: ['c'], values: ['"a"', '"b"'], parts: ['unseen'] }]
    expect(inferColumns(inputs).columns).to.deep.equal(columns)
    expect(featuresOf(inputs, { c: 'b' })).to.deep.equal([0, 1, 0])
    expect(featuresOf(inputs, { c: 'new' })).to.deep.equal([0, 0, 1])
  })

  it('bound a column of 10,000 categories', () => {
    const inputs = Array.from({ length: 20_000 }, (_, i) => ({ c: `k${i % 10_000}`, x: i }))
    const [column] = inferColumns(inputs).columns
    expect(column?.kind === 'category' ? column.values.length : 0).to.equal(64)
  })

  it('read parts of dates', () => {
    expect(readIsoDate('2024-02-29T13:45:00Z')).to.deep.equal({
      year: 2024,
      month: 2,
      weekday: 4,
      day: 19_782,
      minute: 825,
    })
    expect(readIsoDate('1970-01-01')).to.include({ weekday: 4, day: 0 })
    for (const text of ['2023-02-29', '2024-13-01', '2024-1-1', '24:00', '2024-01-01T25:00'])
      expect(readIsoDate(text), text).to.equal(undefined)
    for (let i = 0; i < 2000; i++) {
      const day = i * 377 - 300_000
      const date = new Date(day * 86_400_000)
      const text = date.toISOString()
      if (text.length === 24) expect(readIsoDate(text.slice(0, 10))).to.include({ day, weekday: date.getUTCDay() || 7 })
    }
  })

  it('read amounts and dates as European spreadsheets write them', () => {
    const inputs = Array.from({ length: 40 }, (_, i) => ({
      on: `${String((i % 28) + 1).padStart(2, '0')}/${String((i % 12) + 1).padStart(2, '0')}/2024`,
      sum: `${i % 2 === 0 ? '1.' : ''}${100 + i},5${i % 10} €`,
    }))
    const [on, sum] = inferColumns(inputs).columns
    expect(on).to.include({ kind: 'date', order: 'dmy' })
    expect(sum).to.deep.include({ kind: 'number', form: { decimal: ',', affix: '€' } })
    const reader = createFeatureReader([
      { kind: 'number', path: [], form: { decimal: ',', affix: '€' }, parts: ['value'] },
    ])
    const out = new Float64Array(1)
    reader.read('€ -1.234,50', out, 0)
    expect([...out]).to.deep.equal([-1234.5])
  })

  it('take the form of numbers from all values of a column', () => {
    const formOf = (texts: readonly string[]) => {
      const [column] = inferColumns(texts.map((x, i) => ({ x, i }))).columns.filter(({ path }) => path[0] === 'x')
      return column?.kind === 'number' ? (column.form ?? 'plain') : column?.kind
    }
    expect(formOf(['1,5', '2,25', '1.000,75', '3'])).to.deep.equal({ decimal: ',', affix: '' })
    expect(formOf(['$1,500', '$950', '$12,000', '$7'])).to.deep.equal({ decimal: '.', affix: '$' })
    expect(formOf(['1.500,00 €', '950 €', '12.000 €', '7 €'])).to.deep.equal({ decimal: ',', affix: '€' })
    // Thousands of a comma, or three decimals of a point: each number is read by itself.
    expect(formOf(['1.500 €', '950 €', '12.000 €', '7 €'])).to.deep.equal({ decimal: null, affix: '€' })
    expect(formOf(['$3.459', '$3.299', '$4'])).to.deep.equal({ decimal: '.', affix: '$' })
    // One typing error changes no other value.
    const decimals = Array.from({ length: 50 }, (_, i) => `${i}.${617 + i}`)
    expect(formOf([...decimals, '5,123'])).to.equal('plain')
    expect(formOf(["1'500.50", "2'750.25", '950', '7'])).to.deep.equal({ decimal: '.', affix: '' })
    expect(formOf(['52,3 m²', '80,0 m²', '61,5 m²'])).to.deep.equal({ decimal: ',', affix: 'm²' })
    expect(formOf(['13,70 €', '13,70', '€ 5,20', '8'])).to.deep.equal({ decimal: ',', affix: '€' })
    expect(formOf(['1.5', '2.25', '7'])).to.equal('plain')
    // Numbers of two units differ, a house number has no unit, and a code in groups of digits keeps its zeros.
    expect(formOf(['5 kg', '500 g', '2 kg', '700 g'])).to.equal('text')
    expect(formOf(['12a', '14', '3', '8a'])).to.equal('category')
    expect(formOf(['012 345', '098 765', '011 222'])).to.equal('text')
  })

  it('take the mark of amounts that show none from their currency, the other columns, or each number', () => {
    const formsOf = (rows: readonly Json[]) =>
      inferColumns(rows).columns.flatMap((column) => (column.kind === 'number' ? [column.form ?? 'plain'] : []))
    expect(formsOf(['$950', '$700', '$20'])).to.deep.equal([{ decimal: '.', affix: '$' }])
    expect(readLocalNumber('$1,500', { decimal: '.', affix: '$' })).to.equal(1500)
    expect(formsOf(['950 €', '700 €', '20 €'])).to.deep.equal([{ decimal: null, affix: '€' }])
    expect(
      formsOf([
        { fee: '1,50 €', sum: '950 €' },
        { fee: '2,75 €', sum: '1,789 €' },
      ]),
    ).to.deep.equal([
      { decimal: ',', affix: '€' },
      { decimal: ',', affix: '€' },
    ])
    const read = (text: string) => readLocalNumber(text, { decimal: null, affix: 'kg' })
    const texts = [
      '5.5 kg',
      '5,25 kg',
      '1.500 kg',
      '1,500 kg',
      '0,125 kg',
      '1.234,5',
      '1,234,567',
      '1,234.567',
      '1234,567',
    ]
    expect(texts.map(read)).to.deep.equal([5.5, 5.25, 1500, 1500, 0.125, 1234.5, 1_234_567, 1234.567, 1234.567])
    expect(Number.isNaN(read('1.2.3'))).to.equal(true)
  })

  it('leave codes, house numbers and versions as they are', () => {
    const kindOf = (texts: readonly string[], name = 'x') =>
      inferColumns(texts.map((text, i) => ({ [name]: text, i }))).columns.find(({ path }) => path[0] === name)?.kind
    for (const texts of [
      ['100 234', '200 117', '310 456'],
      ['100a', '200a', '310a'],
      ['10.4.12', '10.5.13', '11.2.10', '9.1.30'],
      ['13.1.10', '13.1.12', '13.2.10', '13.2.15', '13.3.16'],
    ])
      expect(kindOf(texts), texts.join()).to.be.oneOf(['category', 'text'])
    const parts = ['1,1', '1,10', '1,2', '1,20', '2,3', '2,30']
    expect(kindOf([...parts, ...parts, ...parts])).to.equal('category')
    const sizes = ['3,5', '1,2', '2,5']
    expect(kindOf([...sizes, ...sizes, ...sizes])).to.equal('category')
    expect(kindOf(['1.234,5', '2.117,5', '3.456,5'], 'accountId')).to.be.oneOf(['category', 'text'])
    expect(kindOf(['14.2.24', '1.1.23', '3.12.22'], 'release')).to.be.oneOf(['category', 'text'])
    expect(kindOf(['14.2.24', '1.1.23', '3.12.22'])).to.equal('date')
    expect(kindOf(['19 %', '7 %', '5 %'])).to.equal('number')
  })

  it('are inferred in linear time, whatever white space a cell has', () => {
    const cells = ['\n', ' ', '\t'].flatMap((space) => [
      `-${space.repeat(3000)}end`,
      `${space.repeat(50_000)}x`,
      `-${space.repeat(60)}x`,
    ])
    const before = process.cpuUsage()
    inferColumns(cells.map((x) => ({ x })))
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).to.be.below(1000)
  })

  it('take the order of dates from all values of a column', () => {
    const orderOf = (texts: readonly string[]) => {
      const [column] = inferColumns(texts.map((x, i) => ({ x, i }))).columns.filter(({ path }) => path[0] === 'x')
      return column?.kind === 'date' ? (column.order ?? 'iso') : column?.kind
    }
    expect(orderOf(['1.2.24', '31.12.24', '5.6.98'])).to.equal('dmy')
    expect(orderOf(['12/31/2024', '1/2/2024 9:30'])).to.equal('mdy')
    expect(orderOf(['2024/12/31', '2024/1/2'])).to.equal('ymd')
    expect(orderOf(['2024-12-31', '2024-01-02'])).to.equal('iso')
    expect(readLocalDate('29.2.24', 'dmy')).to.deep.equal(readIsoDate('2024-02-29'))
    expect(readLocalDate('12/31/69 23:45', 'mdy')).to.include({ year: 1969, month: 12, minute: 1425 })
    for (const text of ['29.2.2023', '31/12-2024', '1.1.024', '32.1.2024'])
      expect(readLocalDate(text, 'dmy'), text).to.equal(undefined)
  })

  it('hold local numbers to digits in groups of three', () => {
    const read = (text: string) => readLocalNumber(text, { decimal: ',', affix: 'EUR' })
    expect(['1.234.567,8', 'EUR 5', '-0,50 EUR', '−12', '1 000', '+7,25'].map(read)).to.deep.equal([
      1_234_567.8, 5, -0.5, -12, 1000, 7.25,
    ])
    for (const text of ['1.23', '1.234.56', '1.000 000', ',5', '5,', 'EUR', '', '--1', '1,2,3', '5 USD'])
      expect(Number.isNaN(read(text)), text).to.equal(true)
  })

  it('go into lists of one length, and count the elements of others', () => {
    const inputs = [1, 2, 3].map((x) => ({ pair: [x, { y: -x }], list: Array.from({ length: x }, () => 'a') }))
    expect(inferColumns(inputs).columns).to.deep.equal([
      { kind: 'length', path: ['list'], parts: ['value'] },
      { kind: 'number', path: ['pair', 0], parts: ['value'] },
      { kind: 'number', path: ['pair', 1, 'y'], parts: ['value'] },
    ])
  })

  it('read longer texts as words and pairs of words', () => {
    const inputs = Array.from({ length: 40 }, (_, i) => ({ t: `order ${i} is ${i % 2 === 0 ? 'late again' : 'fine'}` }))
    const [column] = inferColumns(inputs).columns
    expect(column?.kind).to.equal('text')
    const hashes = column?.kind === 'text' ? column.hashes : []
    expect(hashes.length).to.be.within(4, 256)
    expect(hashes).to.deep.equal(hashes.toSorted((a, b) => a - b))
  })

  it('read texts without spaces by their characters too, and texts with spaces by words alone', () => {
    const columnOf = (texts: readonly string[]) => inferColumns(texts.map((t) => ({ t }))).columns[0]
    const japanese = Array.from({ length: 20 }, (_, i) => `荷物${i}が${i % 2 === 0 ? '届きません' : '壊れました'}`)
    expect(columnOf(japanese)).to.deep.include({ kind: 'text', charGrams: [1, 2] })
    const mixed = Array.from({ length: 20 }, (_, i) => `parcel ${i} to 東京 is ${i % 2 === 0 ? 'late' : 'lost'}`)
    expect(columnOf(mixed)).to.include({ kind: 'text' }).and.not.have.property('charGrams')
  })
})
