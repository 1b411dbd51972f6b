import type { Program } from '../../../language/ast.ts'
import { compileProgram } from '../../../language/evaluate/evaluate.ts'
import { JSON_VALUE } from '../../../language/value-types.ts'
import { type CodeFacts, examplesOf } from '../facts.ts'
import { writeFunction } from '../writing/function.ts'
import { TYPESCRIPT } from './dialect.ts'
import { tsFile } from './layout.ts'
import { tsLiteral } from './strings.ts'
import { typeOf } from './types.ts'

/** Writes a program as a TypeScript module of one function and the helpers that it uses. Throws `CannotSay`. */
export function typescriptModule(program: Program, facts: CodeFacts): string {
  const { name, parameter, takes, gives, body, uses } = writeFunction(program, facts.task, TYPESCRIPT)
  const runtime = compileProgram(program)
  const examples = examplesOf(facts.inputs, (input) => runtime.attempt(input))
  return tsFile(
    {
      task: facts.task,
      notes: 'Throws `NoAnswer` for an input without an answer.',
      examples: examples.map(({ input, output }) => [`${name}(${tsLiteral(input)}) // ${tsLiteral(output)}`]),
      head: `export function ${name}(${parameter}: ${typeOf(takes)}): ${typeOf(gives & JSON_VALUE)} {`,
      body: TYPESCRIPT.render(body, uses, 1),
    },
    uses,
  )
}
