import { expect } from 'chai'
import { measured, notMeasured } from '../../../../../core/kernel/wire/figure.ts'
import { describeProgram } from '../../../../../core/compile/language/in-words/describe.ts'
import { OPERATORS } from '../../../../../core/compile/language/operators/table.ts'
import { parseProgram } from '../../../../../core/compile/language/parse.ts'
import { inputFormOf } from '../../../../../core/compile/wire/facts/input-form.ts'
import { inWordsOf } from '../../../../../core/compile/wire/facts/in-words.ts'
import type { JsonObject } from '../../../../../core/kernel/json/json.ts'

const envelope = (right: number, n: number, answered = n): JsonObject => ({
  composite: measured(0.9, n, 'formula'),
  accuracy: measured(Number((right / n).toFixed(4)), n, 'right answers of the scored rows'),
  interval: { low: measured(0.646, n, 'Wilson'), high: measured(0.985, n, 'Wilson') },
  coverage: measured(Number((answered / n).toFixed(4)), n, 'scored rows that got an answer'),
  p50_latency_us: measured(12, n, 'calls'),
  cost_usd_per_call: notMeasured('the recipe runs on the machine of its caller'),
})

const wordsOf = (evaluation: JsonObject) => inWordsOf({ recipeKind: 'program', baseModel: 'none', evaluation })

describe('the facts of an artifact in words', () => {
  it('say on how many held-out rows it is right, and between which ends its accuracy lies', () => {
    const words = wordsOf({ k_score_envelope: envelope(11, 12), failing_count: 1, split_mode: 'cross_fit' })
    expect(words.accuracy).to.equal('Right on 11 of 12 held-out rows.')
    expect(words.interval).to.equal('The 95 % interval of its accuracy is 65 % to 99 %.')
    expect(words.scoring).to.contain('fitted without it')
    expect(words.not_measured).to.deep.equal([
      'Cost of a call: not measured. The recipe runs on the machine of its caller.',
    ])
  })

  it('count exactly where the rounded accuracy cannot', () => {
    const words = wordsOf({ k_score_envelope: envelope(99_997, 100_000), failing_count: 3 })
    expect(words.accuracy).to.equal('Right on 99,997 of 100,000 held-out rows.')
  })

  it('take the count from the accuracy where the failing rows are those of another figure', () => {
    expect(wordsOf({ k_score_envelope: envelope(6, 8, 7), failing_count: 40 }).accuracy).to.equal(
      'Right on 6 of 8 held-out rows; 1 row got no answer.',
    )
  })

  it('say what was not measured, and who accepted less than the floor', () => {
    expect(wordsOf({}).accuracy).to.equal('Its accuracy was not measured.')
    expect(wordsOf({ k_score_envelope: null })).to.deep.include({
      accuracy: 'Its accuracy was not measured: no recipe was found.',
      scoring: null,
      interval: null,
    })
    const accepted = { by: 'key:key_1', at: '2026-01-02T03:04:05.678Z', k_score: 0.7271, k_score_floor: 0.85 }
    expect(wordsOf({ k_score_envelope: envelope(11, 12), accepted }).acceptance).to.equal(
      'Its K-score of 0.727 is below its floor of 0.850, and was accepted.',
    )
  })

  it('name each kind, with its base model and its number of parts', () => {
    const kind = (recipeKind: 'classifier' | 'tabular' | 'composite' | 'lora', evaluation = {}) =>
      inWordsOf({ recipeKind, baseModel: 'nano', evaluation }).kind
    expect(kind('classifier')).to.match(/^A classifier: /)
    expect(kind('tabular')).to.match(/^A tabular model: /)
    expect(kind('composite')).to.not.contain('It has')
    expect(kind('lora')).to.contain('the base model nano')
  })

  it('say what each operator does, by the examples of the language', () => {
    for (const [name, { vectors }] of Object.entries(OPERATORS)) {
      for (const vector of vectors.split('\n').filter((text) => text.trim() !== '')) {
        const program = parseProgram({ language: 'svc-recipe-2', body: JSON.parse(vector).body })
        const text = describeProgram(program)
          .map((line) => line.text)
          .join('\n')
        expect(text, name).to.match(/\S/)
        expect(text.replaceAll(/"(?:[^"\\]|\\.)*"|\/.*\//g, 'x'), name).to.not.match(/undefined|\{[?!]?\w+\}| {2}| $/)
      }
    }
  })

  it('set long programs out as lists', () => {
    const describe = (body: JsonObject) =>
      describeProgram(parseProgram({ language: 'svc-recipe-1', body })).map(
        ({ depth, text }) => `${'  '.repeat(depth)}${text}`,
      )
    const input = { op: 'input' }
    const city = { op: 'field', of: input, name: 'city' }
    const initial = {
      op: 'slice',
      text: input,
      start: { op: 'absPos', from: 'start', offset: 0 },
      end: { op: 'absPos', from: 'start', offset: 1 },
    }
    expect(
      describe({
        op: 'if',
        cond: { op: 'contains', text: input, pattern: { kind: 'token', name: 'digits' } },
        then: {
          op: 'lookup',
          key: city,
          cases: [{ key: 'Oslo', value: 'NO' }],
          default: { op: 'literal', value: '?' },
        },
        else: {
          op: 'concat',
          parts: [
            { op: 'upper', text: initial },
            { op: 'literal', value: '. ' },
          ],
        },
      }),
    ).to.deep.equal([
      'if the input contains a run of digits:',
      '  looks the field city up in this table:',
      '    "Oslo" → "NO"',
      '    otherwise: "?"',
      'otherwise: ((the first character of the input) in capitals), then ". "',
    ])
  })

  it('count parts and characters as people do', () => {
    const nameOf = (body: JsonObject) => describeProgram(parseProgram({ language: 'svc-recipe-2', body }))[0]?.text
    const parts = { op: 'split', text: { op: 'input' }, by: { kind: 'literal', text: ' ' } }
    expect(nameOf({ op: 'nth', list: parts, index: -2 })).to.equal(
      'the second-to-last part of the input split at each space',
    )
    expect(nameOf({ op: 'nth', list: { ...parts, dropEmpty: true }, index: 11 })).to.equal(
      'the 12th non-empty part of the input split at each space',
    )
    expect(nameOf(parts)).to.equal('the parts of the input split at each space')
    expect(nameOf({ op: 'nth', list: { op: 'list', items: [] }, index: 0 })).to.equal('no answer')
  })

  it('describe the form of inputs by what the rows show', () => {
    expect(inputFormOf([])).to.equal(undefined)
    expect(inputFormOf(['a', 'b', 3])).to.deep.equal({ n: 3, kinds: ['text', 'number'] })
    expect(inputFormOf([{ city: 'Oslo', size: 1 }, { city: null }])).to.deep.equal({
      n: 2,
      kinds: ['object'],
      fields: [
        { name: 'city', kinds: ['text', 'null'], n: 2 },
        { name: 'size', kinds: ['number'], n: 1 },
      ],
    })
    const wide = Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`c${at}`, at]))
    expect(inputFormOf([wide])).to.deep.equal({ n: 1, kinds: ['object'] })
  })
})
