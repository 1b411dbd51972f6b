import { invalidField } from '../../kernel/errors.ts'
import { isJsonObject, type Json } from '../../kernel/json/json.ts'
import { LANGUAGE, LANGUAGE_2, type Program } from './ast.ts'
import { checkExpr } from './check.ts'
import { DATE, type TypeSet } from './value-types.ts'
import { isLanguage, LANGUAGES, addedSince2 } from './versions.ts'

function assertProgram(value: Json): asserts value is Json & Program {
  checkProgram(value)
}

/**
 * Checks a whole program and gives the types its answers may have. Throws `validation_failed` with the JSON path of the
 * first thing that is wrong: another version, an unknown operator or field, a limit, a type that cannot fit.
 */
export function checkProgram(value: Json): TypeSet {
  if (!isJsonObject(value)) throw invalidField('program', 'must be an object')
  if (!isLanguage(value.language)) throw invalidField('language', `must be ${LANGUAGES.join(' or ')}`)
  for (const name of Object.keys(value)) {
    if (name !== 'language' && name !== 'body') throw invalidField(name, 'unknown field')
  }
  if (value.body === undefined) throw invalidField('body', 'is missing')
  const { types } = checkExpr(value.body)
  const added = value.language === LANGUAGE ? addedSince2(value.body) : undefined
  if (added !== undefined) throw invalidField('language', `must be ${LANGUAGE_2}: ${LANGUAGE} has no ${added}`)
  if (types === DATE) throw invalidField('body', 'is a date, which cannot be an answer; use formatDate')
  return types
}

/** Reads a program from JSON. Throws `validation_failed` as `checkProgram` does. */
export function parseProgram(value: Json): Program {
  assertProgram(value)
  return value
}
