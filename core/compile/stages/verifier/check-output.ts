import type { Json } from '../../../kernel/json/json.ts'
import { compileChecks, type CompiledChecks } from './compile-checks.ts'
import type { Check, CheckResult, Verifier } from './verifier-types.ts'

/** Compiled checks by their list: lists are never changed. */
const COMPILED = new WeakMap<readonly Check[], CompiledChecks>()

/** Returns the ids of the checks that an output fails. */
export function failedChecks(checks: readonly Check[], input: Json, output: Json): readonly string[] {
  let compiled = COMPILED.get(checks)
  if (compiled === undefined) {
    compiled = compileChecks(checks)
    COMPILED.set(checks, compiled)
  }
  return compiled.failed(input, output)
}

/** Checks one output of a recipe. Pure and linear in the sizes of input and output. */
export function checkOutput(verifier: Pick<Verifier, 'checks'>, input: Json, output: Json): CheckResult {
  const failed = failedChecks(verifier.checks, input, output)
  return { pass: failed.length === 0, failed }
}

/** Returns true when an input fails a check of the rows' inputs. */
export function isUnlike(inputChecks: readonly Check[], input: Json): boolean {
  return failedChecks(inputChecks, input, input).length > 0
}
