import { expect } from 'chai'
import fc from 'fast-check'
import { answerForm } from '../../../../../core/compile/stages/lora/answer-form.ts'
import { inferSchema } from '../../../../../core/compile/stages/lora/infer-schema.ts'
import { readJsonSchema } from '../../../../../core/model/generation/constraints/json-schema.ts'

describe('the form of answers', () => {
  it('is one of the labels where outputs are labels', () => {
    expect(answerForm(['yes', 'no', 'yes', 'no', 'no'])).to.deep.equal({
      output: 'text',
      constraint: { type: 'labels', labels: ['no', 'yes'] },
    })
    expect(answerForm([1, 2, 1, 2, 2])).to.deep.equal({
      output: 'json',
      constraint: { type: 'labels', labels: [1, 2] },
    })
  })

  it('is free text for texts that differ, also when one of them is empty', () => {
    expect(answerForm(['a b', 'c d', 'e f'])).to.deep.equal({ output: 'text', constraint: null })
    expect(answerForm(['', 'x', '', 'x', ''])).to.deep.equal({ output: 'text', constraint: null })
  })

  it('is JSON of the shape that outputs share', () => {
    const outputs = [
      { name: 'Ada', year: 1815, tags: ['a'] },
      { name: 'Alan', year: 1912.5, tags: [] },
      { name: 'Grace', tags: [] },
    ]
    expect(answerForm(outputs)).to.deep.equal({
      output: 'json',
      constraint: {
        type: 'json-schema',
        schema: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            tags: { type: 'array', items: { type: 'string' } },
            year: { type: 'number' },
          },
          required: ['name', 'tags'],
        },
      },
    })
  })

  it('is none where texts and other values are mixed', () => {
    expect(answerForm(['a b', { c: 1 }, 'd'])).to.equal(null)
  })
})

describe('an inferred schema', () => {
  it('is one that answers can be held to, for any values', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small', maxDepth: 3 },
        fc.constant(null),
        fc.boolean(),
        fc.integer({ min: -1000, max: 1000 }),
        fc.string({ maxLength: 6 }),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any'), { noNullPrototype: true }),
      ),
    })).any
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), (values) => {
        const plain = JSON.parse(JSON.stringify(values))
        const schema = inferSchema(plain)
        if (schema !== null) readJsonSchema(schema)
      }),
      { numRuns: 60 },
    )
  })

  it('is none for numbers that an answer could not spell, and for too many members', () => {
    expect(inferSchema([1e21])).to.equal(null)
    expect(inferSchema([Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`m${i}`, i]))])).to.equal(null)
  })
})
