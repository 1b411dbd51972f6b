import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInThisContext } from 'node:vm'
import {
  type CodeFile,
  codeOfModel,
  type ModelRecipe,
  openModel,
} from '../../../../../core/compile/runtime/code/code.ts'
import { PYTHON } from '../../../../../core/compile/runtime/code/python/dialect.ts'
import { TYPESCRIPT } from '../../../../../core/compile/runtime/code/typescript/dialect.ts'
import { functionName } from '../../../../../core/compile/runtime/code/writing/function.ts'
import type { Runner } from '../../../../../core/compile/runtime/recipe.ts'
import { DomainError } from '../../../../../core/kernel/errors.ts'
import { canonicalJson, type Json } from '../../../../../core/kernel/json/json.ts'
import type { Comparison, Printed } from './printed.ts'

const RUNNER = fileURLToPath(new URL('./run_model.py', import.meta.url))

/** Writes the files of a recipe's code into a folder, gives the folder to `use`, and removes it. */
function withFiles<T>(files: readonly CodeFile[], use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'svc-written-'))
  try {
    for (const { name, content, encoding } of files) {
      writeFileSync(join(folder, name), content, encoding === 'base64' ? 'base64' : 'utf8')
    }
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A model and inputs to run it on. */
export interface ModelCase {
  readonly model: ModelRecipe
  readonly task: string
  readonly inputs: readonly Json[]
}

/** Returns the answer of the runtime: an output, or none. */
function expectedOf(runner: Runner, input: Json): Printed {
  try {
    const { abstained, output } = runner.run(input)
    return abstained ? { none: 'abstained' } : { output }
  } catch (error) {
    if (error instanceof DomainError) return { none: error.code }
    throw error
  }
}

function compareAnswers({ model, inputs }: ModelCase, answers: readonly Printed[]): Comparison {
  const { runner } = openModel(model)
  const differences = inputs.flatMap((input, at) => {
    const wanted = expectedOf(runner, input)
    const printed = answers[at] ?? { error: 'was not run' }
    const isSame =
      'output' in wanted
        ? 'output' in printed && canonicalJson(printed.output) === canonicalJson(wanted.output)
        : 'none' in printed
    return isSame ? [] : [`${JSON.stringify(input)}: ${JSON.stringify(printed)}, not ${JSON.stringify(wanted)}`]
  })
  return { programs: 1, inputs: inputs.length, differences }
}

/** Runs a model as Python, with the examples of its documentation. */
export function compareModelPython(one: ModelCase): Comparison {
  const { model, task, inputs } = one
  const { status, stdout, stderr } = withFiles(codeOfModel(model, 'python', { task, inputs }), (folder) =>
    spawnSync('python3', [RUNNER, folder, functionName(task, PYTHON)], {
      input: inputs.map((input) => `${JSON.stringify(input)}\n`).join(''),
      encoding: 'utf8',
      maxBuffer: 1024 * 1024 * 1024,
    }),
  )
  if (status !== 0) throw new Error(`python3 ended with ${status}: ${stderr.slice(-2000)}`)
  const lines = stdout.trim().split('\n')
  const { failed, examples }: { failed: number; examples: number } = JSON.parse(lines.at(-1) ?? '{}')
  const answers = lines.slice(0, inputs.length).map((line): Printed => JSON.parse(line))
  const compared = compareAnswers(one, answers)
  const failures = failed === 0 && examples > 0 ? [] : [`${failed} of ${examples} examples fail`]
  return { ...compared, differences: [...compared.differences, ...failures] }
}

interface LoadedModel {
  readonly open: (weights: Uint8Array) => (input: Json) => Json
  readonly NoAnswer: new () => Error
}

/** Runs a model as TypeScript. */
export function compareModelTypescript(one: ModelCase): Comparison {
  const { model, task, inputs } = one
  return withFiles(codeOfModel(model, 'typescript', { task, inputs }), (folder) => {
    const code = stripTypeScriptTypes(readFileSync(join(folder, 'recipe.ts'), 'utf8')).replaceAll(/^export /gm, '')
    const name = functionName(`open ${task}`, TYPESCRIPT)
    const { open, NoAnswer }: LoadedModel = runInThisContext(
      `(() => { ${code}\nreturn { open: ${name}, NoAnswer } })()`,
    )
    const answer = open(readFileSync(join(folder, 'weights.bin')))
    const answers = inputs.map((input): Printed => {
      try {
        return { output: answer(structuredClone(input)) }
      } catch (error) {
        return error instanceof NoAnswer ? { none: error.message } : { error: String(error) }
      }
    })
    return compareAnswers(one, answers)
  })
}
