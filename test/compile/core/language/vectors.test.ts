import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { LANGUAGE, LANGUAGE_2, type Language } from '../../../../core/compile/language/ast.ts'
import { RecipeError } from '../../../../core/compile/language/errors.ts'
import { compileProgram } from '../../../../core/compile/language/evaluate/evaluate.ts'
import { OPERATORS } from '../../../../core/compile/language/operators/table.ts'
import { parseProgram } from '../../../../core/compile/language/parse.ts'
import { printProgram } from '../../../../core/compile/language/print.ts'
import { languageOfJson } from '../../../../core/compile/language/versions.ts'

interface VectorFile {
  language: Language
  vectors: { body: Json; cases: { input: Json; output?: Json; fails?: string }[] }[]
}

const files = ['', '-2'].map((version): VectorFile => {
  const path = `../../../../docs/formats/vectors/recipe-language${version}.json`
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
})
const vectors = files.flatMap((file) => file.vectors.map((vector) => ({ ...vector, language: file.language })))

function outcome(language: Language, body: Json, input: Json): Json {
  const program = compileProgram(parseProgram({ language, body }))
  try {
    return { output: program.evaluate(input) }
  } catch (error) {
    if (error instanceof RecipeError) return { fails: error.reason }
    throw error
  }
}

describe('published test vectors of the language', () => {
  it('gives the published answer for every case', () => {
    expect(files.map(({ language }) => language)).to.deep.equal([LANGUAGE, LANGUAGE_2])
    for (const { language, body, cases } of vectors) {
      for (const { input, ...expected } of cases) {
        expect(outcome(language, body, input), `${JSON.stringify(body)} of ${JSON.stringify(input)}`).to.deep.equal(
          expected,
        )
      }
    }
  })

  it('holds a vector for every operator', () => {
    const text = JSON.stringify(vectors)
    const absent = Object.keys(OPERATORS).filter((op) => !text.includes(`"op":"${op}"`))
    expect(absent).to.deep.equal([])
  })

  it('names the oldest version that has the operators of a program', () => {
    for (const { language, body } of vectors) expect(languageOfJson(body), JSON.stringify(body)).to.equal(language)
  })

  it('prints every program in one line that names its operator', () => {
    for (const { language, body } of vectors) {
      const line = printProgram(parseProgram({ language, body }))
      expect(line).to.not.match(/[?]\(|\bundefined\b|\[object|\n/)
    }
  })
})
