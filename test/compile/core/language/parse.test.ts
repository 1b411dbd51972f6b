import { expect } from 'chai'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { LANGUAGE, programJson } from '../../../../core/compile/language/ast.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { PROGRAM_JSON_SCHEMA } from '../../../../core/compile/language/json-schema.ts'
import { OPERATORS } from '../../../../core/compile/language/operators/table.ts'
import { parseProgram } from '../../../../core/compile/language/parse.ts'
import { printProgram } from '../../../../core/compile/language/print.ts'

const input = { op: 'input' }

/** The field that `parseProgram` names, or `accepted`. */
function refusal(program: Json): string {
  try {
    parseProgram(program)
  } catch (error) {
    if (error instanceof DomainError) return error.details?.fields?.[0]?.field ?? ''
    throw error
  }
  return 'accepted'
}

const refusedBody = (body: Json): string => refusal({ language: LANGUAGE, body })

function nestedUpper(depth: number): Json {
  let body: Json = input
  for (let i = 0; i < depth; i++) body = { op: 'upper', text: body }
  return body
}

/* oxlint-disable unicorn/no-thenable -- `then` is a JSON member of the language; it is never a function */

describe('parsing programs', () => {
  it('names the path of what is wrong', () => {
    const upper = (text: Json): Json => ({ op: 'upper', text })
    const extract = (pattern: Json, more: { [name: string]: Json } = {}): Json => ({
      op: 'extract',
      text: input,
      pattern,
      occurrence: 1,
      ...more,
    })
    const cases: readonly (readonly [Json, string])[] = [
      ['x', 'body'],
      [{}, 'body.op'],
      [{ op: 'eval' }, 'body.op'],
      [{ op: 'toString' }, 'body.op'],
      [{ op: 'input', extra: 1 }, 'body.extra'],
      [{ op: 'upper' }, 'body.text'],
      [{ op: 'concat', parts: [] }, 'body.parts'],
      [{ op: 'concat', parts: [input, { op: 'literal', value: 1 }] }, 'body.parts[1]'],
      [upper({ op: 'length', of: input }), 'body.text'],
      [upper({ op: 'if', cond: { op: 'literal', value: 1 }, then: input, else: input }), 'body.text.cond'],
      [{ op: 'parseDate', text: input, pattern: 'yyyy' }, 'body'],
      [{ op: 'map', list: input, as: 'x', body: { op: 'parseDate', text: input, pattern: 'yyyy' } }, 'body.body'],
      [{ op: 'formatDate', date: input, pattern: 'yyyy' }, 'body.date'],
      [{ op: 'formatDate', date: { op: 'fromUnix', value: input }, pattern: 'QQQ' }, 'body.pattern'],
      [
        upper({ op: 'formatDate', date: { op: 'parseDate', text: input, pattern: 'w' }, pattern: 'w' }),
        'body.text.date.pattern',
      ],
      [{ op: 'var', name: 'x' }, 'body.name'],
      [{ op: 'let', name: 'x', value: { op: 'var', name: 'x' }, in: input }, 'body.value.name'],
      [{ op: 'let', name: '1', value: input, in: input }, 'body.name'],
      [extract({ kind: 'token', name: 'emoji' }), 'body.pattern.name'],
      [extract({ kind: 'literal', text: '' }), 'body.pattern.text'],
      [extract({ kind: 'regex', regex: '(?=a)' }), 'body.pattern.regex'],
      [extract({ kind: 'regex', regex: '\\1' }), 'body.pattern.regex'],
      [extract({ kind: 'regex', regex: '(a{1000}){1000}' }), 'body.pattern.regex'],
      [extract({ kind: 'regex', regex: '(a)' }, { group: 2 }), 'body.group'],
      [extract({ kind: 'token', name: 'word' }, { occurrence: 0 }), 'body.occurrence'],
      [extract({ kind: 'token', name: 'word' }, { occurrence: 1.5 }), 'body.occurrence'],
      [{ op: 'slice', text: input, start: input, end: input }, 'body.start.op'],
      [{ op: 'literal', value: '\ud800' }, 'body.value'],
      [{ op: 'literal', value: Number.NaN }, 'body.value'],
      [{ op: 'literal', value: 'x'.repeat(300_000) }, 'body.value'],
      [{ op: 'lookup', key: input, cases: [{ key: [], value: 1 }] }, 'body.cases[0].key'],
      [{ op: 'list', items: Array.from({ length: 5000 }, () => input) }, 'body.items'],
      [{ op: 'list', items: Array.from({ length: 4096 }, () => input) }, 'body.items[4095]'],
    ]
    for (const [body, path] of cases) expect(refusedBody(body), JSON.stringify(body).slice(0, 200)).to.equal(path)
    expect(refusal({ language: 'svc-recipe-3', body: input })).to.equal('language')
    expect(refusal({ language: LANGUAGE, body: input, note: '' })).to.equal('note')
    expect(refusal(null)).to.equal('program')
  })

  it('refuses operators of svc-recipe-2 in a program of svc-recipe-1, and reads all of the first in the second', () => {
    const reading = { op: 'datePart', date: { op: 'readDate', text: input }, part: 'year' }
    expect(refusedBody(reading)).to.equal('language')
    expect(refusal({ language: 'svc-recipe-2', body: reading })).to.equal('accepted')
    expect(refusal({ language: 'svc-recipe-2', body: input })).to.equal('accepted')
    const quoted = { op: 'literal', value: { op: 'readDate' } }
    expect(refusedBody(quoted)).to.equal('accepted')
    const table = { op: 'lookup', key: input, cases: [{ key: 'a', value: { op: 'readDate' } }] }
    expect(refusedBody(table)).to.equal('accepted')
  })

  it('bounds the depth of a program, however deep the JSON is', () => {
    expect(refusedBody(nestedUpper(63))).to.equal('accepted')
    expect(refusedBody(nestedUpper(64))).to.match(/^body(\.text){64}$/)
    expect(refusedBody(nestedUpper(100_000))).to.match(/^body(\.text){64}$/)
  })

  it('gives back the JSON it was given', () => {
    const json: Json = {
      language: LANGUAGE,
      body: {
        op: 'concat',
        parts: [
          {
            op: 'upper',
            text: {
              op: 'slice',
              text: input,
              start: { op: 'absPos', from: 'start', offset: 0 },
              end: { op: 'absPos', from: 'start', offset: 1 },
            },
          },
          { op: 'literal', value: '. ' },
          { op: 'extract', text: input, pattern: { kind: 'token', name: 'word' }, occurrence: -1 },
        ],
      },
    }
    const program = parseProgram(json)
    expect(programJson(program)).to.deep.equal(json)
    expect(printProgram(program)).to.equal('concat(upper(slice(input, 0, 1)), ". ", extract(input, word, -1))')
  })

  it('describes every operator in the JSON schema', () => {
    const text = JSON.stringify(PROGRAM_JSON_SCHEMA)
    for (const op of Object.keys(OPERATORS)) expect(text).to.include(`"op":{"const":"${op}"}`)
  })
})
