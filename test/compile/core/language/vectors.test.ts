import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { LANGUAGE } from '../../../../core/compile/language/ast.ts'
import { RecipeError } from '../../../../core/compile/language/errors.ts'
import { compileProgram } from '../../../../core/compile/language/evaluate/evaluate.ts'
import { OPERATORS } from '../../../../core/compile/language/operators/table.ts'
import { parseProgram } from '../../../../core/compile/language/parse.ts'
import { printProgram } from '../../../../core/compile/language/print.ts'

interface VectorFile {
  language: string
  vectors: { body: Json; cases: { input: Json; output?: Json; fails?: string }[] }[]
}

const file: VectorFile = JSON.parse(
  readFileSync(new URL('../../../../docs/recipe-language-vectors.json', import.meta.url), 'utf8'),
)

function outcome(body: Json, input: Json): Json {
  const program = compileProgram(parseProgram({ language: LANGUAGE, body }))
  try {
    return { output: program.evaluate(input) }
  } catch (error) {
    if (error instanceof RecipeError) return { fails: error.reason }
    throw error
  }
}

describe('published test vectors of the language', () => {
  it('gives the published answer for every case', () => {
    expect(file.language).to.equal(LANGUAGE)
    for (const { body, cases } of file.vectors) {
      for (const { input, ...expected } of cases) {
        expect(outcome(body, input), `${JSON.stringify(body)} of ${JSON.stringify(input)}`).to.deep.equal(expected)
      }
    }
  })

  it('holds a vector for every operator', () => {
    const text = JSON.stringify(file.vectors)
    const absent = Object.keys(OPERATORS).filter((op) => !text.includes(`"op":"${op}"`))
    expect(absent).to.deep.equal([])
  })

  it('prints every program in one line that names its operator', () => {
    for (const { body } of file.vectors) {
      const line = printProgram(parseProgram({ language: LANGUAGE, body }))
      expect(line).to.not.match(/[?]\(|\bundefined\b|\[object|\n/)
    }
  })
})
