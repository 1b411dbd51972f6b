import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInThisContext } from 'node:vm'
import { canonicalJson, type Json } from '../../../../../core/kernel/json/json.ts'
import { codeOfProgram } from '../../../../../core/compile/runtime/code/code.ts'
import { PYTHON } from '../../../../../core/compile/runtime/code/python/dialect.ts'
import { TYPESCRIPT } from '../../../../../core/compile/runtime/code/typescript/dialect.ts'
import { functionName } from '../../../../../core/compile/runtime/code/writing/function.ts'
import { type Expected, expectedOf, type ProgramCase } from './cases.ts'

const TASK = 'Answer as the rows do'
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url))

/** An answer of written code: an output, no answer, or an undocumented error. */
export type Printed = { readonly output: Json } | { readonly none: string } | { readonly error: string }

/** The inputs that were run, and those on which the written code differs from the runtime. */
export interface Comparison {
  readonly programs: number
  readonly inputs: number
  readonly differences: readonly string[]
}

function compare(cases: readonly ProgramCase[], answers: readonly (readonly Printed[])[]): Comparison {
  const differences: string[] = []
  let inputs = 0
  for (const [at, { name, program, inputs: given }] of cases.entries()) {
    for (const [row, wanted] of expectedOf(program, given).entries()) {
      // Written code has no budget of fuel and memory.
      if ('bound' in wanted) continue
      inputs++
      const printed = answers[at]?.[row] ?? answers[at]?.[0] ?? { error: 'was not run' }
      if (!isSame(wanted, printed)) {
        differences.push(
          `${name} of ${JSON.stringify(given[row])}: ${JSON.stringify(printed)}, not ${JSON.stringify(wanted)}`,
        )
      }
    }
  }
  return { programs: cases.length, inputs, differences }
}

function isSame(wanted: Expected, printed: Printed): boolean {
  if (!('output' in wanted)) return 'none' in printed
  return 'output' in printed && canonicalJson(printed.output) === canonicalJson(wanted.output)
}

/** Runs the programs as Python, all in one process, with the examples of their documentation. */
export function comparePython(cases: readonly ProgramCase[]): Comparison {
  const name = functionName(TASK, PYTHON)
  const lines = cases.map(({ program, inputs }) => {
    const { content } = codeOfProgram(program, 'python', { task: TASK, inputs })
    return JSON.stringify({ source: content, name, inputs: inputs.map((input) => JSON.stringify(input)) })
  })
  const runner = fileURLToPath(new URL('./run_python.py', import.meta.url))
  const { status, stdout, stderr } = spawnSync('python3', [runner], {
    input: `${lines.join('\n')}\n`,
    encoding: 'utf8',
    maxBuffer: 1024 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`python3 ended with ${status}: ${stderr.slice(-2000)}`)
  return compare(
    cases,
    stdout
      .trim()
      .split('\n')
      .map((line): readonly Printed[] => JSON.parse(line)),
  )
}

interface LoadedModule {
  readonly run: (input: Json) => Json
  readonly NoAnswer: new () => Error
}

function load(source: string): LoadedModule {
  const name = functionName(TASK, TYPESCRIPT)
  const code = stripTypeScriptTypes(source).replaceAll(/^export /gm, '')
  const noAnswer = "typeof NoAnswer === 'undefined' ? class {} : NoAnswer"
  return runInThisContext(`(() => { ${code}\nreturn { run: ${name}, NoAnswer: ${noAnswer} } })()`)
}

function answersOf({ program, inputs }: ProgramCase): readonly Printed[] {
  try {
    const { run, NoAnswer } = load(codeOfProgram(program, 'typescript', { task: TASK, inputs }).content)
    return inputs.map((input): Printed => {
      try {
        return { output: run(structuredClone(input)) }
      } catch (error) {
        // A text of 10^300 units ends so: a bound of the machine.
        const isKnown = error instanceof NoAnswer || error instanceof RangeError
        return isKnown ? { none: error.message } : { error: String(error) }
      }
    })
  } catch (error) {
    return [{ error: String(error) }]
  }
}

/** Runs the programs as TypeScript. */
export function compareTypescript(cases: readonly ProgramCase[]): Comparison {
  return compare(cases, cases.map(answersOf))
}

const COMPILER_OPTIONS = {
  target: 'es2024',
  // Models need `TextEncoder`, which browsers and Node have.
  lib: ['es2024', 'esnext.array', 'dom'],
  module: 'esnext',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
}

/** Checks the types of the programs as TypeScript; returns what the compiler says. */
export function typeErrors(cases: readonly ProgramCase[]): string {
  return typeErrorsOf(
    cases.map(({ program, inputs }) => codeOfProgram(program, 'typescript', { task: TASK, inputs }).content),
  )
}

/** Checks the types of modules of TypeScript, all in one run of the compiler; returns what it says. */
export function typeErrorsOf(modules: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-written-'))
  try {
    mkdirSync(join(folder, 'code'))
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['code'] }),
    )
    for (const [at, source] of modules.entries()) writeFileSync(join(folder, 'code', `module_${at}.ts`), source)
    const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], {
      encoding: 'utf8',
      maxBuffer: 1024 * 1024 * 1024,
    })
    return stdout.trim()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
