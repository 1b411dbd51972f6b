import { expect } from 'chai'
import { chunksOf, collect, fails, from, INLINE, UPLOAD } from './given-intake.ts'
import fc from 'fast-check'
import { readDataset, selectRows, writeDataset } from '../../../../../core/compile/rows/intake/dataset.ts'
import type { Example } from '../../../../../core/compile/rows/intake/example.ts'
import { examplesFromInline, examplesFromJsonl } from '../../../../../core/compile/rows/intake/sources.ts'
import type { DomainError } from '../../../../../core/kernel/errors.ts'
import { canonicalJson, type Json } from '../../../../../core/kernel/json/json.ts'
import { DEFAULT_LIMITS } from '../../../../../core/limits.ts'

/** Any JSON value within the bounds of intake. */
const jsonValue = fc
  .jsonValue()
  .map((value): Json =>
    JSON.parse(JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'number' ? inner % 1e9 : inner))),
  )

const inline = async (examples: unknown): Promise<Example[]> => await collect(examplesFromInline(examples, INLINE))
const jsonl = async (data: Uint8Array | string): Promise<Example[]> =>
  await collect(examplesFromJsonl(chunksOf(data), UPLOAD))
const fieldsOf = (error: DomainError): string[] => (error.details?.fields ?? []).map(({ field }) => field)

function positive(input: string, output: Json, id: string): Example {
  return { kind: 'positive', row: { id, input, output } }
}

describe('intake of examples', () => {
  it('takes outputs under both names, ids, and negatives', async () => {
    const examples = await inline([
      { input: 'a', output: 1 },
      { input: { x: [null] }, expected: null, id: 'mine' },
      { input: 'a', expected_not: 2, kind: 'negative' },
    ])
    expect(examples).to.deep.equal([
      { kind: 'positive', row: { id: 'row_1', input: 'a', output: 1 } },
      { kind: 'positive', row: { id: 'mine', input: { x: [null] }, output: null } },
      { kind: 'negative', negative: { id: 'row_3', input: 'a', notOutput: 2 } },
    ])
  })

  it('names every field that is wrong', async () => {
    const deep: unknown = JSON.parse('['.repeat(80) + ']'.repeat(80))
    const error = await fails(
      inline([
        'text',
        { output: 1 },
        { input: 'a' },
        { input: deep, output: 1 },
        { input: { n: JSON.parse('1e999') }, output: 1 },
        { input: 'a', output: JSON.parse('12345678901234567890') },
        { input: '\ud800', output: 'x' },
        { input: 'x'.repeat(20_000), output: 'x' },
        { input: 'b', output: 'c', kind: 'odd' },
      ]),
    )
    expect(error.code).to.equal('validation_failed')
    expect(fieldsOf(error).map((field) => field.replace(/(\[0\])+$/, ''))).to.deep.equal([
      'examples',
      'examples[1].input',
      'examples[2].output',
      'examples[3].input',
      'examples[4].input.n',
      'examples[5].output',
      'examples[6].input',
      'examples[7]',
      'examples[8].kind',
    ])
  })

  it('refuses too many examples and ids given twice', async () => {
    const many = Array.from({ length: DEFAULT_LIMITS.inline_examples + 1 }, () => ({ input: 'a', output: 'b' }))
    expect((await fails(inline(many))).code).to.equal('too_many_examples')
    const twice = await fails(
      inline([
        { input: 'a', output: 'b', id: 'row_2' },
        { input: 'c', output: 'd' },
      ]),
    )
    expect(fieldsOf(twice)).to.deep.equal(['examples[1].id'])
  })

  it('reads JSONL across chunk borders, past comments and blanks', async () => {
    const text = '\ufeff// seeds\r\n{"input":"Größe","output":"ü"}\r\n\n{"prompt":"q","completion":"a","id":7}'
    expect(await jsonl(text)).to.deep.equal([positive('Größe', 'ü', 'row_1'), positive('q', 'a', '7')])
  })

  it('refuses broken lines with their number', async () => {
    const good = '{"input":"a","output":"b"}\n'
    const broken = await fails(jsonl(`${good}{"input":`))
    expect([broken.code, ...fieldsOf(broken)]).to.deep.equal(['invalid_json', 'line[2]'])
    const binary = await fails(jsonl(Buffer.concat([Buffer.from(good), Buffer.from([0x7b, 0xff, 0x7d])])))
    expect([binary.code, ...fieldsOf(binary)]).to.deep.equal(['invalid_encoding', 'line[2]'])
    const endless = await fails(jsonl('x'.repeat(200_000)))
    expect(endless.code).to.equal('example_too_large')
  })

  it('skips and reports broken lines when asked to', async () => {
    const refused: string[] = []
    const text = '{"input":"a","output":"b"}\nnonsense\n{"input":"c","output":"d"}'
    const examples = examplesFromJsonl(chunksOf(text), UPLOAD, {
      onRefused: (error) => refused.push(...fieldsOf(error)),
    })
    expect(await collect(examples)).to.have.length(2)
    expect(refused).to.deep.equal(['line[2]'])
  })

  it('writes a dataset and reads it back', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(fc.string({ unit: 'grapheme' }), jsonValue), { selector: ([input]) => input }),
        async (pairs) => {
          const given = pairs.map(([input, output]) => ({ input, output }))
          fc.pre(given.length > 0)
          const examples = await inline(given)
          const writer = writeDataset(from(examples))
          const chunks = await collect(writer.chunks)
          expect(await collect(readDataset(from(chunks)))).to.deep.equal(examples)
          expect(writer.summary()).to.deep.include({ rows: given.length, duplicates: 0, contradictions: 0 })
        },
      ),
      { numRuns: 50 },
    )
  })

  it('refuses contradictions among few rows, naming them, and an empty dataset', async () => {
    const examples = [
      positive('a', 'x', 'p'),
      positive('b', 'x', 'q'),
      positive('a', 'y', 'r'),
      positive('a', 'x', 's'),
    ]
    const written = await fails(collect(writeDataset(from(examples)).chunks))
    expect(written.code).to.equal('contradictory_examples')
    expect(written.details?.['contradictions']).to.deep.equal([{ ids: ['p', 'r'] }])
    expect((await fails(selectRows(from(examples), { maxRows: 10 }))).code).to.equal('contradictory_examples')
    expect((await fails(collect(writeDataset(from([])).chunks))).code).to.equal('no_examples')
  })

  it('takes outputs of one input that differ by rounding for duplicates', async () => {
    const examples = [
      positive('a', 98.6, 'p'),
      positive('a', 98.60000000000001, 'q'),
      positive('b', { total: 0.3, at: 'x' }, 'r'),
      positive('b', { at: 'x', total: 0.1 + 0.2 }, 's'),
    ]
    const writer = writeDataset(from(examples))
    await collect(writer.chunks)
    expect(writer.summary()).to.deep.include({ rows: 4, duplicates: 2, contradictions: 0, distinctInputs: 2 })
    const { rows, facts } = await selectRows(from(examples), { maxRows: 10 })
    expect(rows.map(({ id }) => id)).to.deep.equal(['p', 'r'])
    expect(facts).to.deep.include({ duplicates_removed: 2, contradictory_inputs: 0, contradictory_rows_removed: 0 })
    const third = await fails(selectRows(from([...examples, positive('a', 98.7, 't')]), { maxRows: 10 }))
    expect(third.details?.['contradictions']).to.deep.equal([{ ids: ['p', 't'] }])
    const written = await fails(collect(writeDataset(from([...examples, positive('a', 98.7, 't')])).chunks))
    expect(written.details?.['contradictions']).to.deep.equal([{ ids: ['p', 't'] }])
  })

  it('counts outputs that differ by rounding as one when the majority decides', async () => {
    const examples = Array.from({ length: 120 }, (_, i) => positive(`input ${i}`, i + 0.5, `r${i}`))
    examples.push(
      positive('input 5', 0.3, 'a'),
      positive('input 5', 0.1 + 0.2, 'b'),
      positive('input 6', 6.500000000000001, 'c'),
    )
    const { rows, facts } = await selectRows(from(examples), { maxRows: 1000 })
    expect(rows.find(({ input }) => input === 'input 5')?.id).to.equal('a')
    expect(rows.find(({ input }) => input === 'input 6')?.id).to.equal('r6')
    expect(facts).to.deep.include({
      given_rows: 123,
      duplicates_removed: 2,
      contradictory_inputs: 1,
      contradictory_rows_removed: 1,
    })
  })

  it('lets the majority decide among many rows', async () => {
    const examples = Array.from({ length: 120 }, (_, i) => positive(`input ${i}`, 'x', `r${i}`))
    examples.push(
      positive('input 5', 'y', 'a'),
      positive('input 5', 'y', 'b'),
      positive('input 6', 'y', 'c'),
      positive('input 7', 'x', 'd'),
    )
    const { rows, facts } = await selectRows(from(examples), { maxRows: 1000 })
    expect(rows).to.have.length(120)
    expect(rows.find(({ input }) => input === 'input 5')).to.deep.equal({ id: 'a', input: 'input 5', output: 'y' })
    expect(rows.find(({ input }) => input === 'input 6')?.output).to.equal('x')
    expect(facts).to.deep.include({
      given_rows: 124,
      duplicates_removed: 1,
      contradictory_inputs: 2,
      contradictory_rows_removed: 2,
      sample: 'all',
    })
  })

  it('streams a large file and samples it the same way in any order', async () => {
    const count = 30_000
    async function* file(order: (i: number) => number): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < count; i++)
        yield Buffer.from(`{"input":"row number ${order(i)}","output":"${order(i) % 3}"}\n`)
    }
    const select = async (order: (i: number) => number) => {
      const writer = writeDataset(examplesFromJsonl(file(order), UPLOAD))
      const selection = await selectRows(readDataset(writer.chunks), { maxRows: 500 })
      expect(writer.summary()).to.deep.include({ rows: count, distinctInputs: count })
      expect(selection.facts).to.deep.include({ distinct_rows: count, rows_used: 500, sample: 'smallest_input_hash' })
      return selection.rows.map(({ input }) => canonicalJson(input)).sort()
    }
    expect(await select((i) => i)).to.deep.equal(await select((i) => count - 1 - i))
  })
})
