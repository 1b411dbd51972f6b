import { expect } from 'chai'
import fc from 'fast-check'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { Dfa } from '../../../../core/model/generation/constraints/dfa.ts'
import { readJsonSchema } from '../../../../core/model/generation/constraints/json-schema.ts'
import { createRandom } from '../../../../core/model/random.ts'
import { accepts, randomText } from './automaton.ts'

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonObject>(
      { type: 'boolean' },
      { type: 'null' },
      { type: 'integer' },
      { type: 'number' },
      { type: ['string', 'null'], maxLength: 3 },
      { type: 'string', minLength: 1, maxLength: 4 },
      { type: 'string', pattern: '^[a-c"\\n]+$' },
      { enum: ['a "quoted" label', 1, null, { b: 1, a: [] }] },
      { const: 'é\n' },
    ),
    fc
      .record({ items: tie('schema'), minItems: fc.nat({ max: 2 }), more: fc.nat({ max: 2 }) })
      .map(({ items, minItems, more }): JsonObject => ({ type: 'array', items, minItems, maxItems: minItems + more })),
    fc
      .dictionary(fc.constantFrom('name', 'Zeta', 'é', 'a"b', 'x'), fc.tuple(tie('schema'), fc.boolean()), {
        maxKeys: 4,
      })
      .map((members): JsonObject => {
        const entries = Object.entries(members)
        return {
          type: 'object',
          properties: Object.fromEntries(entries.map(([name, [member]]) => [name, member])),
          required: entries.filter(([, [, isRequired]]) => isRequired).map(([name]) => name),
          additionalProperties: false,
        }
      }),
    fc.tuple(tie('schema'), tie('schema')).map((anyOf): JsonObject => ({ anyOf })),
  ),
}))

describe('readJsonSchema', () => {
  it('leads to JSON that validates and is written canonically, whatever is chosen on the way', () => {
    fc.assert(
      fc.property(schema, fc.nat(), fc.nat({ max: 60 }), (given, seed, steps) => {
        const written = randomText(new Dfa(readJsonSchema(given)), createRandom(seed, 'walk'), steps)
        const value: Json = JSON.parse(written)
        expect(validates(value, given), `${written} against ${JSON.stringify(given)}`).to.equal(true)
        expect(written).to.equal(canonicalJson(value))
      }),
      { numRuns: 200 },
    )
  })

  it('accepts every value of a schema and no other', () => {
    const dfa = new Dfa(
      readJsonSchema({
        type: 'object',
        properties: {
          id: { type: 'integer' },
          tags: { type: 'array', items: { type: 'string' } },
          note: { type: 'string', maxLength: 2 },
        },
        required: ['tags'],
      }),
    )
    expect(accepts(dfa, '{"id":12,"note":"日\\n","tags":["a",""]}')).to.equal(true)
    expect(accepts(dfa, '{"tags":[]}')).to.equal(true)
    for (const text of [
      '{}',
      '{"id":1.5,"tags":[]}',
      '{"note":"abc","tags":[]}',
      '{"tags":[],}',
      '{"tags":[],"x":1}',
      '{"id":01,"tags":[]}',
    ]) {
      expect(accepts(dfa, text), text).to.equal(false)
    }
  })

  for (const [given, problem] of [
    [{ type: 'string', format: 'email' }, 'keyword format is not supported'],
    [{ $ref: '#/$defs/a' }, 'keyword $ref is not supported'],
    [{ type: 'integer', minimum: 1 }, 'keyword minimum is not supported'],
    [{ oneOf: [] }, 'keyword oneOf is not supported'],
    [{}, 'type has to be one of'],
    [{ type: 'array' }, 'needs items'],
    [{ type: 'object', additionalProperties: true }, 'additionalProperties other than false'],
    [{ type: 'object', required: ['a'] }, 'required names "a"'],
    [
      { type: 'object', properties: { a: { type: 'string', pattern: 'a', maxLength: 1 } } },
      '#/properties/a: pattern together with',
    ],
    [{ type: 'string', maxLength: -1 }, 'maxLength has to be'],
    [{ enum: [] }, 'enum is empty'],
    [{ enum: ['\ud800'] }, 'half of a surrogate pair'],
    [{ type: 'object', properties: { '\ud800': { type: 'null' } } }, 'half of a surrogate pair'],
    [true, 'a schema has to be an object'],
  ] satisfies [Json, string][]) {
    it(`refuses ${JSON.stringify(given)}: ${problem}`, () => {
      expect(() => readJsonSchema(given))
        .to.throw(DomainError, problem)
        .with.property('code', 'invalid_constraint')
    })
  }
})

/** The few keywords above, by the letter of JSON Schema. */
function validates(value: Json, given: JsonObject): boolean {
  const { anyOf, const: only, enum: values } = given
  if (Array.isArray(anyOf)) return anyOf.some((each: Json) => isJsonObject(each) && validates(value, each))
  if (only !== undefined) return canonicalJson(value) === canonicalJson(only)
  if (Array.isArray(values)) return values.some((each: Json) => canonicalJson(each) === canonicalJson(value))
  const types: readonly Json[] = Array.isArray(given['type']) ? given['type'] : [given['type'] ?? null]
  if (typeof value === 'string') return types.includes('string') && validatesText(value, given)
  if (typeof value === 'number')
    return types.includes('number') || (types.includes('integer') && Number.isSafeInteger(value))
  if (typeof value === 'boolean') return types.includes('boolean')
  if (value === null) return types.includes('null')
  if (isJsonObject(value)) {
    const properties = isJsonObject(given['properties']) ? given['properties'] : {}
    const required: readonly Json[] = Array.isArray(given['required']) ? given['required'] : []
    return (
      types.includes('object') &&
      required.every((name) => typeof name === 'string' && Object.hasOwn(value, name)) &&
      Object.entries(value).every(
        ([name, member]) => isJsonObject(properties[name]) && validates(member, properties[name]),
      )
    )
  }
  const items = given['items']
  const { minItems, maxItems } = given
  return (
    types.includes('array') &&
    isJsonObject(items) &&
    value.every((item) => validates(item, items)) &&
    value.length >= Number(minItems) &&
    value.length <= Number(maxItems)
  )
}

function validatesText(value: string, { minLength, maxLength, pattern }: JsonObject): boolean {
  const { length } = Array.from(value)
  if (typeof pattern === 'string') return new RegExp(pattern, 'u').test(value)
  return length >= Number(minLength ?? 0) && length <= Number(maxLength ?? Infinity)
}
