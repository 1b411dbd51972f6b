import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { CLASS_NAMES, TOKEN_NAMES } from '../../../../core/compile/language/names.ts'
import { MAX_PROGRAM_DEPTH, MAX_PROGRAM_NODES, MAX_PROGRAM_SIZE } from '../../../../core/compile/language/check.ts'
import { FAILURE_REASONS } from '../../../../core/compile/language/errors.ts'
import { DEFAULT_FUEL, MAX_ANSWER_SIZE, MAX_MADE } from '../../../../core/compile/language/evaluate/frame.ts'
import { CHAR_SET, PATTERNS, POSITIONS } from '../../../../core/compile/language/operators/fields.ts'
import { OPERATORS } from '../../../../core/compile/language/operators/table.ts'
import { DATE_LETTERS } from '../../../../core/compile/language/primitives/dates/date-pattern.ts'
import { operatorRow, shapeRow } from './operator-rows.ts'

const document = readFileSync(new URL('../../../../docs/recipe-language.md', import.meta.url), 'utf8')

describe('docs/recipe-language.md', () => {
  it('has the row of every operator, position and pattern as the interpreter has it', () => {
    const rows = [
      ...Object.entries(OPERATORS).map(([op, spec]) => operatorRow(op, spec)),
      ...Object.entries(POSITIONS).map(([op, fields]) => shapeRow(op, fields)),
      ...Object.entries(PATTERNS).map(([kind, fields]) => shapeRow(kind, fields)),
      shapeRow('CharSet', CHAR_SET),
    ]
    expect(rows.filter((row) => !document.includes(`\n${row}`))).to.deep.equal([])
    const documented = document.match(/^\| `[A-Za-z]+` \| (?:`\w+\??`: | \| )/gm) ?? []
    expect(documented.length).to.equal(rows.length)
  })

  it('explains every token, class, date letter, failure and limit', () => {
    const named = [...TOKEN_NAMES, ...CLASS_NAMES, ...DATE_LETTERS, ...FAILURE_REASONS]
    expect(named.filter((name) => !document.includes(`| \`${name}\` |`))).to.deep.equal([])
    const limits = [MAX_PROGRAM_DEPTH, MAX_PROGRAM_NODES, MAX_PROGRAM_SIZE, DEFAULT_FUEL, MAX_MADE, MAX_ANSWER_SIZE]
    expect(limits.filter((limit) => !document.includes(limit.toLocaleString('en')))).to.deep.equal([])
  })
})
