import type { ContentMembers } from '../../archive/members/content.ts'
import type { Check, JsonType } from '../../stages/verifier/verifier-types.ts'
import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { typeOf } from './merge-answers.ts'

/** Values at one end of a recipe, as far as its archive says. */
export interface EndTypes {
  /** Null where it is not known. */
  readonly types: readonly JsonType[] | null
  /** Members that objects always have. */
  readonly members: readonly string[]
}

/** Types that a recipe takes and gives. */
export interface ChainTypes {
  readonly takes: EndTypes
  readonly gives: EndTypes
}

/** A place in a chain where the types do not fit. */
export interface BrokenLink {
  /** The step that cannot take its input, from 0. */
  readonly step: number
  readonly given: readonly JsonType[]
  readonly takes: readonly JsonType[]
  /** Members that are missing in objects. */
  readonly missing: readonly string[]
}

/** Returns what a recipe takes and gives, out of the checks of its verifier. */
export function chainTypesOf({ verifier }: Pick<ContentMembers, 'verifier'>): ChainTypes {
  return {
    takes: endOf(verifier.spec === 'svc-verifier-2' ? verifier.inputs.checks : []),
    gives: endOf(verifier.spec === 'svc-verifier-2' ? verifier.checks : []),
  }
}

/** Returns the first place where an input or the output of a step does not fit the next one; null for none. */
export function findBrokenLink(input: Json, steps: readonly ChainTypes[]): BrokenLink | null {
  let given: EndTypes = { types: [typeOf(input)], members: isJsonObject(input) ? Object.keys(input) : [] }
  for (const [step, { takes, gives }] of steps.entries()) {
    const broken = compare(given, takes)
    if (broken !== null) return { step, ...broken }
    given = gives
  }
  return null
}

function compare(given: EndTypes, takes: EndTypes): Omit<BrokenLink, 'step'> | null {
  if (given.types === null || takes.types === null) return null
  const { types } = takes
  const common = given.types.filter((type) => types.includes(type))
  if (common.length === 0) return { given: given.types, takes: types, missing: [] }
  // Objects may be the only type that both have: then the members that are always there must be enough.
  const missing = takes.members.filter((name) => !given.members.includes(name))
  const isObject = common.every((type) => type === 'object')
  return isObject && missing.length > 0 ? { given: given.types, takes: types, missing } : null
}

function endOf(checks: readonly Check[]): EndTypes {
  let types: readonly JsonType[] | null = null
  let members: readonly string[] = []
  for (const check of checks) {
    if (check.kind === 'type' && check.path.length === 0) types = check.types
    if (check.kind === 'members' && check.path.length === 0) members = check.required
  }
  return { types, members }
}
