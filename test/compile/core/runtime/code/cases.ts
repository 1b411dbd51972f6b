import { readFileSync } from 'node:fs'
import { isJsonObject, type Json } from '../../../../../core/kernel/json/json.ts'
import { RecipeError } from '../../../../../core/compile/language/errors.ts'
import { compileProgram } from '../../../../../core/compile/language/evaluate/evaluate.ts'
import { mulberry32 } from '../../../../../core/model/classifier/logistic-regression.ts'
import { parseProgram } from '../../../../../core/compile/language/parse.ts'
import type { Program } from '../../../../../core/compile/language/ast.ts'
import { ANY, DATE } from '../../../../../core/compile/language/value-types.ts'
import { RandomPrograms } from '../../language/random-program.ts'
import { languageOfJson } from '../../../../../core/compile/language/versions.ts'

/** A program and inputs to run it on. */
export interface ProgramCase {
  readonly name: string
  readonly program: Program
  readonly inputs: readonly Json[]
}

/** An answer: the output, no answer, or a bound of the evaluation that printed code does not have. */
export type Expected = { readonly output: Json } | { readonly none: string } | { readonly bound: string }

/** Every published vector as a program with its inputs. */
export function vectorCases(): readonly ProgramCase[] {
  return ['vectors/recipe-language.json', 'vectors/recipe-language-2.json'].flatMap((file) => {
    const page: Json = JSON.parse(readFileSync(new URL(`../../../../../docs/formats/${file}`, import.meta.url), 'utf8'))
    const vectors = isJsonObject(page) && Array.isArray(page['vectors']) ? page['vectors'] : []
    return vectors.flatMap((vector, at) => {
      if (!isJsonObject(vector) || !Array.isArray(vector['cases'])) return []
      const inputs = vector['cases'].flatMap((entry) =>
        isJsonObject(entry) && 'input' in entry ? [entry['input'] ?? null] : [],
      )
      return [{ name: `${file} ${at}`, program: programOf(vector['body'] ?? null), inputs }]
    })
  })
}

/** A body as a checked program of the oldest version that has all of it. */
export function programOf(body: Json): Program {
  return parseProgram({ language: languageOfJson(body), body })
}

/** The answers of the runtime. */
export function expectedOf(program: Program, inputs: readonly Json[]): readonly Expected[] {
  const runtime = compileProgram(program)
  return inputs.map((input) => {
    try {
      return { output: runtime.evaluate(input) }
    } catch (error) {
      if (!(error instanceof RecipeError)) throw error
      const isBound = ['out_of_fuel', 'out_of_memory', 'invalid_input'].includes(error.reason)
      return isBound ? { bound: error.reason } : { none: error.reason }
    }
  })
}

/** Inputs of all types, with texts that are hard to get right. */
export const ODD_VALUES: readonly Json[] = [
  null,
  true,
  0,
  -1.5,
  1e21,
  12,
  '',
  'Ada Lovelace',
  'a1b22-c',
  '2024-02-29',
  '😀 É',
  ' x ',
  'abc',
  '12,345.6',
  'a@b',
  'Zoë straße ΣΑΣ',
  '{"a":[1]}',
  [],
  ['b', 'a'],
  [3, 1, 2],
  [[1], [1]],
  [{ key: 'k', value: 1 }],
  {},
  { a: 1, key: 'v' },
  { key: { a: [1, 'x'] } },
]

/** So many random programs from a seed on, each with inputs of all types. */
export function randomCases(seed: number, count: number): readonly ProgramCase[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `seed ${seed + at}`,
    program: programOf(new RandomPrograms(seed + at).expr(ANY & ~DATE, 3 + (at % 3))),
    inputs: ODD_VALUES,
  }))
}

/** Pieces of texts: signs, letters and digits of several scripts, white space, a pair of surrogates. */
const PIECES = [
  ' ',
  '  ',
  '-',
  ',',
  '.',
  ':',
  '/',
  '@',
  "'",
  '\n',
  '0',
  '7',
  '42',
  'a',
  'Z',
  'É',
  'ß',
  'ж',
  '٣',
  '\u00a0',
  '😀',
  '',
]

/** So many values that are given ones with changed texts and numbers, and without some members. */
export function changedValues(seed: number, values: readonly Json[], count: number): readonly Json[] {
  const random = mulberry32(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const change = (value: Json): Json => {
    if (typeof value === 'string') {
      const [from = 0, to = 0] = [below(value.length + 1), below(value.length + 1)].toSorted((a, b) => a - b)
      const piece = PIECES[below(PIECES.length)] ?? ''
      return (value.slice(0, from) + piece + value.slice(below(2) === 0 ? from : to)).toWellFormed()
    }
    if (typeof value === 'number') {
      return [0, -value, value + 1, value / 10, value * 1000, Math.round(value)][below(6)] ?? 0
    }
    if (Array.isArray(value)) return below(8) === 0 ? [] : value.map(change)
    if (!isJsonObject(value)) return value
    const kept = Object.entries(value).filter(() => below(20) > 0)
    return Object.fromEntries(
      kept.map(([name, member]) => [name, below(2) === 0 ? change(member ?? null) : (member ?? null)]),
    )
  }
  return Array.from({ length: count }, () => change(values[below(values.length)] ?? null))
}

/** The programs with changed inputs of their own: so many in all. */
export function changedCases(seed: number, cases: readonly ProgramCase[], count: number): readonly ProgramCase[] {
  return cases.map((one, at) => {
    const share = Math.floor(count / cases.length) + (at < count % cases.length ? 1 : 0)
    return { ...one, name: `${one.name}, changed`, inputs: changedValues(seed + at, one.inputs, share) }
  })
}
