import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'
import { type Program, programJson } from '../../../language/ast.ts'
import { compileProgram } from '../../../language/evaluate/evaluate.ts'
import { parseProgram } from '../../../language/parse.ts'
import { TEXT } from '../../../language/value-types.ts'
import { type CodeFacts, examplesOf } from '../facts.ts'
import { styled } from '../writing/names.ts'
import { needsOf } from '../writing/needs.ts'
import { asJson } from '../writing/types.ts'
import { sqlString } from './patterns.ts'
import type { Column, SqlType } from './table.ts'
import { ExpressionWriter } from './writer.ts'

const TYPES: Readonly<Record<SqlType, string>> = {
  text: 'text',
  number: 'double precision',
  boolean: 'boolean',
  texts: 'text[]',
}

/** A program as a function of Postgres, and its parameters in their order. */
export interface SqlFunction {
  readonly name: string
  readonly columns: readonly Column[]
  readonly source: string
}

const WORDS_OF_NAME = 5

/** A name of at least two words: most functions of Postgres have one. */
function functionName(task: string): string {
  const name = styled(task.split(/\s+/).slice(0, WORDS_OF_NAME).join(' '), 'snake')
  if (name === '') return 'answer_of'
  return name.includes('_') ? name : `${name}_of`
}

/** A dollar quote that the code does not end. */
function tagFor(code: string): string {
  let name = ''
  while (code.includes(`$${name}$`)) name += 'recipe'
  return `$${name}$`
}

/** Writes a program as a function of Postgres 18 or newer. Throws `CannotSay`. */
export function sqlFunction(program: Program, facts: CodeFacts): SqlFunction {
  const copy: Json = JSON.parse(JSON.stringify(programJson(program)))
  const { body } = parseProgram(copy)
  const needs = needsOf(asJson(body))
  const write = ExpressionWriter.of(needs)
  const { code, type } = write.print(body, TEXT)
  const { columns } = write
  const needed = columns.filter(({ member }) => needs.has(JSON.stringify(member === undefined ? [] : [member])))
  const isStrict = needed.length === columns.length && columns.length > 0
  const guard = isStrict ? '' : needed.map((column) => `${column.code} IS NOT NULL`).join(' AND ')
  const name = functionName(facts.task)
  const parameters = columns.map((column) => `${column.code} ${TYPES[column.type]}`).join(', ')
  const tag = tagFor(code)
  const source = [
    ...comment(program, facts, name, columns),
    `CREATE FUNCTION ${name}(${parameters}) RETURNS ${TYPES[type]}`,
    `LANGUAGE sql IMMUTABLE PARALLEL SAFE${isStrict ? ' STRICT' : ''} AS ${tag}`,
    `  SELECT ${guard === '' ? code : `CASE WHEN ${guard} THEN ${code} END`}`,
    `${tag};`,
    '',
  ].join('\n')
  return { name, columns, source }
}

function comment(program: Program, facts: CodeFacts, name: string, columns: readonly Column[]): string[] {
  const runtime = compileProgram(program)
  const examples = examplesOf(facts.inputs, (input) => runtime.attempt(input)).flatMap(({ input, output }) => {
    const args = argumentsOf(columns, input)
    return args === undefined ? [] : [`SELECT ${name}(${args.join(', ')}); -- ${JSON.stringify(output)}`]
  })
  const task = facts.task.replaceAll(/\s+/g, ' ').trim()
  return [task, 'Null for a row without an answer.', ...examples]
    .filter((line) => line !== '')
    .map((line) => `-- ${line}`)
}

/**
 * The arguments of a call for an input, null for a missing member; undefined for an input whose parts are not of the
 * types of the columns.
 */
export function argumentsOf(columns: readonly Column[], input: Json): readonly string[] | undefined {
  const args = columns.map(({ member, type }) => {
    if (member === undefined) return argumentOf(type, input)
    if (!isJsonObject(input)) return undefined
    const value = Object.hasOwn(input, member) ? input[member] : undefined
    return value === undefined ? `NULL::${TYPES[type]}` : argumentOf(type, value)
  })
  return args.every((arg) => arg !== undefined) ? args : undefined
}

function argumentOf(type: SqlType, value: Json): string | undefined {
  if (typeof value === 'string') return type === 'text' && isHeld(value) ? sqlString(value) : undefined
  if (typeof value === 'number') return type === 'number' ? String(value) : undefined
  return typeof value === 'boolean' && type === 'boolean' ? String(value) : undefined
}

/** True for a text that Postgres can hold: without U+0000 and halves of surrogate pairs. */
export function isHeld(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
