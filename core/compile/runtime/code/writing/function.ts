import type { Json } from '../../../../kernel/json/json.ts'
import { type Program, programJson } from '../../../language/ast.ts'
import { parseProgram } from '../../../language/parse.ts'
import { DATE, JSON_VALUE, LIST, NUMBER, OBJECT, TEXT, type TypeSet } from '../../../language/value-types.ts'
import type { Bound, Dialect } from './dialect.ts'
import { Names, styled } from './names.ts'
import { needsOf } from './needs.ts'
import type { Statement } from './statements.ts'
import { Uses } from './uses.ts'
import { asJson } from './types.ts'
import { CodeWriter } from './writer.ts'

/** The function of a program in a language that has statements. */
export interface WrittenFunction {
  readonly name: string
  readonly parameter: string
  /** The types that every input with an answer has. */
  readonly takes: TypeSet
  readonly gives: TypeSet
  readonly body: readonly Statement[]
  readonly uses: Uses
}

const WORDS_OF_NAME = 5

/** A name for the function of a task. */
export function functionName(task: string, dialect: Pick<Dialect, 'reserved' | 'style'>): string {
  const words = task.split(/\s+/).slice(0, WORDS_OF_NAME).join(' ')
  return new Names(dialect.style, dialect.reserved).fresh(styled(words, dialect.style), 'transform')
}

const PARAMETERS: ReadonlyMap<TypeSet, string> = new Map<TypeSet, string>([
  [TEXT, 'text'],
  [OBJECT, 'row'],
  [LIST, 'items'],
  [NUMBER, 'number'],
])

/** Writes a checked program as a function. Throws `CannotSay` where the language has no form for an operator. */
export function writeFunction(program: Program, task: string, dialect: Dialect): WrittenFunction {
  // A copy: nodes in several places of a program made here are distinguished.
  const copy: Json = JSON.parse(JSON.stringify(programJson(program)))
  const { body } = parseProgram(copy)
  const needs = needsOf(asJson(body))
  const takes = needs.get('[]') ?? JSON_VALUE
  const name = functionName(task, dialect)
  const names = new Names(dialect.style, [...dialect.reserved, name])
  const root = names.fresh(PARAMETERS.get(takes) ?? 'value')
  const uses = new Uses()
  const block: Statement[] = []
  const parts = new Map<string, Bound>()
  const paths = [...needs].map(([key, types]) => ({ path: JSON.parse(key) as string[], types }))
  for (const { path, types } of paths.toSorted((a, b) => a.path.length - b.path.length)) {
    const member = path.at(-1)
    const parent = parts.get(JSON.stringify(path.slice(0, -1)))
    const code = member === undefined || parent === undefined ? root : names.fresh(member)
    if (member !== undefined && parent !== undefined) {
      block.push({ kind: 'let', name: code, value: dialect.member(parent.code, member, true, false, uses) })
    }
    if (types !== JSON_VALUE) block.push({ kind: 'check', name: code, types })
    parts.set(JSON.stringify(path), { code, types })
  }
  // A part that must be of two types: there is never an answer.
  if (paths.some(({ types }) => types === 0)) {
    return { name, parameter: root, takes: JSON_VALUE, gives: JSON_VALUE, body: [{ kind: 'fail' }], uses: new Uses() }
  }
  const write = new CodeWriter({ dialect, uses, names, root, parts }, block)
  const gives = write.types(body)
  if ((gives & DATE) === 0) write.tail(body, JSON_VALUE)
  else block.push({ kind: 'return', value: write.operand(body, JSON_VALUE) })
  return { name, parameter: root, takes, gives, body: block, uses }
}
