import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { CivilDate } from '../primitives/dates/civil-date.ts'
import { BOOLEAN, DATE, JSON_VALUE, NUMBER, TEXT, type TypeSet, typeSetOf, type Value } from '../value-types.ts'
import { failure, type Step } from './frame.ts'

/** True for lists. */
export function isList(value: Value): value is readonly Json[] {
  return Array.isArray(value)
}

/** True for objects, not lists nor dates. */
export function isObject(value: Value): value is JsonObject {
  return !(value instanceof CivilDate) && isJsonObject(value)
}

/** Returns a step whose value has one of the types; a value of another type is a `type_mismatch` of the operator. */
export function checked(step: Step, accepts: TypeSet, op: string): Step {
  const mismatch = failure('type_mismatch', op)
  // The frequent types have a separate test, which is compiled to a few instructions.
  switch (accepts) {
    case TEXT:
      return (frame) => {
        const value = step(frame)
        if (typeof value !== 'string') throw mismatch
        return value
      }
    case NUMBER:
      return (frame) => {
        const value = step(frame)
        if (typeof value !== 'number') throw mismatch
        return value
      }
    case BOOLEAN:
      return (frame) => {
        const value = step(frame)
        if (typeof value !== 'boolean') throw mismatch
        return value
      }
    case DATE:
      return (frame) => {
        const value = step(frame)
        if (!(value instanceof CivilDate)) throw mismatch
        return value
      }
    case JSON_VALUE:
      return (frame) => {
        const value = step(frame)
        if (value instanceof CivilDate) throw mismatch
        return value
      }
    default:
      return (frame) => {
        const value = step(frame)
        if ((typeSetOf(value) & accepts) === 0) throw mismatch
        return value
      }
  }
}
