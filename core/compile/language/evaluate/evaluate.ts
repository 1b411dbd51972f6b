import type { Json } from '../../../kernel/json/json.ts'
import type { Expr, Program } from '../ast.ts'
import { RecipeError } from '../errors.ts'
import { CivilDate } from '../primitives/dates/civil-date.ts'
import { isBoundedJson, sizeOfJson } from '../primitives/values/json-values.ts'
import { compileExpr } from './compile.ts'
import { DEFAULT_FUEL, Failure, failure, Frame, MAX_ANSWER_SIZE, type Step } from './frame.ts'

/** Bounds of one evaluation. */
export interface EvaluationOptions {
  /** Steps it may take; see docs/formats/recipe-language.md. Default 1,000,000. */
  readonly fuel?: number
}

/** A program that is ready to run many times. */
export interface CompiledProgram {
  /** Returns the answer. Throws `RecipeError` when there is none, or when a bound is reached. Pure. */
  evaluate(input: Json): Json
  /** Returns the answer, or undefined without one; much cheaper than a thrown error. */
  attempt(input: Json): Json | undefined
}

function run(step: Step, input: Json, fuel: number): Json | Failure {
  // A text is checked in one native call; the walk is for structures.
  if (typeof input === 'string' ? !input.isWellFormed() : !isBoundedJson(input))
    return failure('invalid_input', 'input')
  try {
    const answer = step(new Frame(input, fuel))
    if (answer instanceof CivilDate) return failure('type_mismatch', 'program')
    if (typeof answer === 'object' && sizeOfJson(answer, MAX_ANSWER_SIZE) > MAX_ANSWER_SIZE) {
      return failure('out_of_memory', 'program')
    }
    return answer
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** Compiles a checked expression. */
export function compileEvaluation(expr: Expr, options: EvaluationOptions = {}): CompiledProgram {
  const step = compileExpr(expr)
  const fuel = options.fuel ?? DEFAULT_FUEL
  return {
    evaluate(input) {
      const answer = run(step, input, fuel)
      if (answer instanceof Failure) throw new RecipeError(answer.reason, answer.operator)
      return answer
    },
    attempt(input) {
      const answer = run(step, input, fuel)
      return answer instanceof Failure ? undefined : answer
    },
  }
}

/** Compiles a program; it must have been checked by `parseProgram` or made in the same shape. */
export function compileProgram(program: Program, options: EvaluationOptions = {}): CompiledProgram {
  return compileEvaluation(program.body, options)
}

/** Evaluates an expression once. Throws `RecipeError` when it has no answer. */
export function evaluate(expr: Expr, input: Json, options: EvaluationOptions = {}): Json {
  return compileEvaluation(expr, options).evaluate(input)
}
