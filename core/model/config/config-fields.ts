import type { DomainError } from '../../kernel/errors.ts'
import { MODEL_ERRORS } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'

/** Typed reads of the members of one JSON object; each throws `invalid_model` that names the file and the member. */
export class ConfigFields {
  readonly #file: string
  readonly #values: JsonObject

  constructor(file: string, values: JsonObject) {
    this.#file = file
    this.#values = values
  }

  /** Returns the member unchanged; undefined when it is absent or null. */
  value(name: string): Json | undefined {
    return Object.hasOwn(this.#values, name) ? (this.#values[name] ?? undefined) : undefined
  }

  /** Returns the member as an object with its own fields. */
  fields(name: string): ConfigFields | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    if (!isJsonObject(value)) throw this.refuse(name, 'has to be an object')
    return new ConfigFields(`${this.#file} ${name}`, value)
  }

  /** A whole number from `min` to `max`; throws when it is absent and there is no `fallback`. */
  integer(name: string, bounds: { readonly min: number; readonly max: number }, fallback?: number): number {
    const value = this.value(name) ?? fallback
    if (typeof value === 'number' && Number.isInteger(value) && value >= bounds.min && value <= bounds.max) return value
    throw this.refuse(name, `has to be a whole number from ${bounds.min} to ${bounds.max}`)
  }

  /** A finite number above zero; throws when it is absent and there is no `fallback`. */
  positive(name: string, fallback?: number): number {
    const value = this.value(name) ?? fallback
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
    throw this.refuse(name, 'has to be a number above 0')
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.value(name) ?? fallback
    if (typeof value === 'boolean') return value
    throw this.refuse(name, 'has to be true or false')
  }

  text(name: string, fallback?: string): string {
    const value = this.value(name) ?? fallback
    if (typeof value === 'string') return value
    throw this.refuse(name, 'has to be a text')
  }

  list(name: string): readonly Json[] | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    if (isList(value)) return value
    throw this.refuse(name, 'has to be a list')
  }

  refuse(name: string, problem: string): DomainError {
    return MODEL_ERRORS.invalid_model(`${this.#file}: ${name} ${problem}`)
  }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
