import type { Program } from '../../../language/ast.ts'
import { compileProgram } from '../../../language/evaluate/evaluate.ts'
import { BOOLEAN, LIST, NUMBER, OBJECT, TEXT, type TypeSet } from '../../../language/value-types.ts'
import { type CodeFacts, examplesOf } from '../facts.ts'
import { writeFunction } from '../writing/function.ts'
import { PYTHON } from './dialect.ts'
import { pyFile } from './layout.ts'

const ANNOTATIONS: ReadonlyMap<TypeSet, string> = new Map<TypeSet, string>([
  [TEXT, 'str'],
  [NUMBER, 'float'],
  [BOOLEAN, 'bool'],
  [LIST, 'list'],
  [OBJECT, 'dict'],
])

/** Writes a program as a Python module of one function and the helpers that it uses. Throws `CannotSay`. */
export function pythonModule(program: Program, facts: CodeFacts): string {
  const { name, parameter, takes, gives, body, uses } = writeFunction(program, facts.task, PYTHON)
  const runtime = compileProgram(program)
  return pyFile(
    {
      name,
      parameter,
      takes: ANNOTATIONS.get(takes),
      gives: ANNOTATIONS.get(gives),
      task: facts.task,
      notes: 'Raises ValueError, LookupError or TypeError for an input without an answer.',
      examples: examplesOf(facts.inputs, (input) => runtime.attempt(input)),
      body: PYTHON.render(body, uses, 1),
    },
    uses,
  )
}
