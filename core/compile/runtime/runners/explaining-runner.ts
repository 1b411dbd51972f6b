import type { DomainError, FieldProblem } from '../../../kernel/errors.ts'
import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'
import type { ContentMembers } from '../../archive/members/content.ts'
import { EACH, jsonTypeOf, valuesAt } from '../../stages/verifier/values-at.ts'
import type { Check, JsonType } from '../../stages/verifier/verifier-types.ts'
import type { Runner } from '../recipe.ts'

const MOST_PROBLEMS = 5
const TYPE_NAMES: Readonly<Record<JsonType, string>> = {
  null: 'null',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
}

/**
 * Returns a runner like this one, whose `recipe_failed` also names the members of the input that are missing or of another
 * type than in the examples, in its message and in `details.fields`.
 */
export function explainingRunner(runner: Runner, verifier: ContentMembers['verifier']): Runner {
  if (verifier.spec === 'svc-verifier-1') return runner
  const { checks } = verifier.inputs
  return {
    ...runner,
    run(input) {
      try {
        return runner.run(input)
      } catch (error) {
        throw MODEL_ERRORS.recipe_failed.matches(error) ? explained(error, problemsOf(checks, input)) : error
      }
    },
  }
}

function explained(error: DomainError, problems: readonly FieldProblem[]): DomainError {
  if (problems.length === 0) return error
  const texts = problems.map(({ field, message }) => `${field} ${message}`)
  return MODEL_ERRORS.recipe_failed(`${error.message}; ${texts.join('; ')}`, {
    details: { ...error.details, fields: problems },
    cause: error,
  })
}

/** Every place where an input lacks a member of the examples or has another type than they have. */
function problemsOf(checks: readonly Check[], input: Json): readonly FieldProblem[] {
  const problems = checks.flatMap((check): readonly FieldProblem[] => {
    const field = ['input', ...check.path].join('.').replaceAll(`.${EACH}`, '[]')
    const values = valuesAt(input, check.path)
    if (check.kind === 'type') {
      const other = values.find((value) => !check.types.includes(jsonTypeOf(value)))
      const expected = check.types.map((type) => TYPE_NAMES[type]).join(' or ')
      if (other === undefined) return []
      return [{ field, message: `is ${TYPE_NAMES[jsonTypeOf(other)]}, in the examples it is ${expected}` }]
    }
    if (check.kind !== 'members') return []
    const isMissing = (name: string) => values.some((value) => isJsonObject(value) && !Object.hasOwn(value, name))
    return check.required
      .filter(isMissing)
      .map((name) => ({ field: `${field}.${name}`, message: 'is missing; add it as in the examples' }))
  })
  return problems.slice(0, MOST_PROBLEMS)
}
