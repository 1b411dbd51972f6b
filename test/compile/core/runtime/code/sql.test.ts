import { expect } from 'chai'
import pg from 'pg'
import { codeOfProgram } from '../../../../../core/compile/runtime/code/code.ts'
import type { Json } from '../../../../../core/kernel/json/json.ts'
import { newDatabase } from '../../../../support/stack/stack.ts'
import { changedCases, type ProgramCase, programOf, randomCases, vectorCases } from './cases.ts'
import { compareSql } from './printed-sql.ts'

const input: Json = { op: 'input' }
const field = (name: string): Json => ({ op: 'field', of: input, name })
const parts = (by: string): Json => ({ op: 'split', text: input, by: { kind: 'literal', text: by } })

/** Programs whose answers may be null halfway, with inputs that make them so. */
const CASES: readonly ProgramCase[] = [
  {
    name: 'a value that is not used',
    program: programOf({
      op: 'let',
      name: 'x',
      value: { op: 'extract', text: input, pattern: { kind: 'token', name: 'digits' }, occurrence: 1 },
      in: input,
    }),
    inputs: ['a1', 'a'],
  },
  {
    name: 'false beside no answer',
    program: programOf({
      op: 'and',
      of: [
        { op: 'eq', left: { op: 'nth', list: parts('-'), index: 1 }, right: { op: 'literal', value: 'b' } },
        { op: 'contains', text: input, pattern: { kind: 'literal', text: 'a' } },
      ],
    }),
    inputs: ['a-b', 'x-b', 'x', 'a-', ''],
  },
  {
    name: 'a list of parts',
    program: programOf({
      op: 'join',
      list: { op: 'take', list: parts(','), count: { op: 'literal', value: -2 } },
      separator: { op: 'literal', value: '|' },
    }),
    inputs: ['a,b,c', 'a', '', ',', 'a,,'],
  },
  {
    name: 'columns of which one may be missing',
    program: programOf({
      op: 'concat',
      parts: [field('whole'), { op: 'coalesce', of: [field('key'), { op: 'literal', value: '?' }], skipEmpty: true }],
    }),
    inputs: [{ whole: 'a', key: 'b' }, { whole: 'a' }, { key: 'b' }, { whole: '', key: '' }],
  },
  {
    name: 'a constant that could end the code',
    program: programOf({ op: 'concat', parts: [{ op: 'literal', value: "$$; $recipe$ '; \\'; --\\" }, input] }),
    inputs: ['a', "\\'"],
  },
  {
    name: 'products beyond a double',
    program: programOf({ op: 'mul', left: field('a'), right: field('b') }),
    inputs: [
      [0.1, 3],
      [1e200, 1e200],
      [1e-200, 1e-200],
      [-1e308, 10],
      [5e-324, 0.5],
    ].map(([a, b]) => ({
      a: a ?? 0,
      b: b ?? 0,
    })),
  },
]

describe('a program in Postgres', () => {
  let client: pg.Client
  before(async () => {
    client = new pg.Client({ connectionString: await newDatabase() })
    await client.connect()
  })
  after(async () => {
    await client.end()
  })

  it('answers as the runtime does, with examples that hold', async () => {
    const cases = [...vectorCases(), ...changedCases(7, CASES, 300), ...CASES, ...randomCases(30_000, 300)]
    const { programs, differences } = await compareSql(client, cases)
    expect(differences).to.deep.equal([])
    expect(programs).to.be.greaterThan(110)
  })

  it('is written as a person would write it', () => {
    const program = programOf({
      op: 'if',
      cond: { op: 'startsWith', text: field('Kind'), pattern: { kind: 'literal', text: "it's" } },
      then: { op: 'upper', text: field('Last name') },
      else: { op: 'literal', value: 'none' },
    })
    const facts = { task: 'Label', inputs: [{ Kind: "it's", 'Last name': 'Lovelace' }] }
    expect(codeOfProgram(program, 'sql', facts).content).to.equal(`-- Label
-- Null for a row without an answer.
-- SELECT label_of('Lovelace', 'it''s'); -- "LOVELACE"
CREATE FUNCTION label_of(last_name text, kind text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN kind IS NOT NULL THEN CASE WHEN starts_with(kind, 'it''s') THEN upper(last_name COLLATE pg_unicode_fast) ELSE 'none' END END
$$;
`)
  })

  it('names the operator that Postgres has no form for', () => {
    const refused = (body: Json) => () => codeOfProgram(programOf(body), 'sql', { task: '', inputs: [] })
    expect(refused({ op: 'title', text: input })).to.throw('title: Postgres has no such rule for texts')
    const pattern: Json = { kind: 'regex', regex: 'a|ab' }
    expect(refused({ op: 'contains', text: input, pattern })).to.throw('regex: Postgres takes the longest match')
    expect(refused({ op: 'concat', parts: [{ op: 'field', of: field('a'), name: 'b' }] })).to.throw('path')
  })
})
