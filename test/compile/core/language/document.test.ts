import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { CLASS_NAMES, TOKEN_NAMES } from '../../../../core/compile/language/names.ts'
import { MAX_PROGRAM_DEPTH, MAX_PROGRAM_NODES, MAX_PROGRAM_SIZE } from '../../../../core/compile/language/check.ts'
import { FAILURE_REASONS } from '../../../../core/compile/language/errors.ts'
import { DEFAULT_FUEL, MAX_ANSWER_SIZE, MAX_MADE } from '../../../../core/compile/language/evaluate/frame.ts'
import type { AnyOperator } from '../../../../core/compile/language/operators/entry.ts'
import { OPERATORS } from '../../../../core/compile/language/operators/table.ts'
import { DATE_LETTERS } from '../../../../core/compile/language/primitives/dates/date-pattern.ts'
import { documentOf, PAGE, UNITS_FILE, unitsFile, VECTOR_FILES, vectorFile } from './document-of.ts'

const document = readFileSync(PAGE, 'utf8')

describe('docs/formats/recipe-language.md', () => {
  it('has the tables that the entries give, byte by byte', () => {
    expect(documentOf(document)).to.equal(document)
  })

  it('stands beside the vectors that the entries give, byte by byte', () => {
    for (const { language, file } of VECTOR_FILES) expect(vectorFile(language)).to.equal(readFileSync(file, 'utf8'))
  })

  it('stands beside the units that the operators read', () => {
    expect(unitsFile()).to.equal(readFileSync(UNITS_FILE, 'utf8'))
  })

  it('names every operator whose operand is scanned where it states the fuel', () => {
    const stated = /for each operand of ([^;]*);/.exec(document)?.[1]?.match(/\w+(?=`)/g) ?? []
    const scanned = Object.entries<AnyOperator>(OPERATORS).flatMap(([op, { fuel }]) =>
      fuel?.includes('scan') ? [op] : [],
    )
    expect([...stated, 'lookup'].sort()).to.deep.equal(scanned.sort())
  })

  it('explains every token, class, date letter, failure and limit', () => {
    const named = [...TOKEN_NAMES, ...CLASS_NAMES, ...DATE_LETTERS, ...FAILURE_REASONS]
    expect(named.filter((name) => !document.includes(`| \`${name}\` |`))).to.deep.equal([])
    const limits = [MAX_PROGRAM_DEPTH, MAX_PROGRAM_NODES, MAX_PROGRAM_SIZE, DEFAULT_FUEL, MAX_MADE, MAX_ANSWER_SIZE]
    expect(limits.filter((limit) => !document.includes(limit.toLocaleString('en')))).to.deep.equal([])
  })
})
