import { canonicalJson, type JsonObject } from '../../../kernel/json/json.ts'
import { plainWords } from '../../../kernel/wire/plain-words.ts'
import { capabilityBlock } from '../../archive/capability.ts'
import { CapabilityView } from '../../wire/artifacts/capability.ts'

/** The verdict on a capability block: the block, or the first problem with the field that has it. */
export type BlockVerdict =
  | { readonly ok: true; readonly block: CapabilityView }
  | {
      readonly ok: false
      readonly error: 'bad_spec' | 'invalid_field' | 'not_canonical' | 'hash_mismatch'
      readonly field: string
      readonly message: string
    }

/**
 * Checks a capability block as a build would have made it: its spec, every field by its rules, the order of its lists,
 * and its hash. A block that hashes right but has a wrong field is refused.
 */
export function checkCapabilityBlock(given: JsonObject): BlockVerdict {
  if (given['spec'] !== 'capability-v1') return refuse('bad_spec', 'spec', 'must be "capability-v1"')
  const { success, data: block, error } = CapabilityView.safeParse(given, { error: plainWords })
  if (!success) {
    const issue = error.issues[0]
    const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
    const field = unknown ?? issue?.path.map(String).join('.') ?? ''
    return refuse('invalid_field', field, unknown === undefined ? (issue?.message ?? 'is wrong') : 'is no field of it')
  }
  const { spec: _spec, hash, ...needs } = block
  const built = capabilityBlock(needs)
  for (const [name, value] of Object.entries(needs)) {
    if (canonicalJson(built[name] ?? null) !== canonicalJson(value ?? null)) {
      return refuse(
        'not_canonical',
        name,
        Array.isArray(value) ? 'must be sorted, each name once' : 'must not be empty',
      )
    }
  }
  if (hash !== built['hash']) return refuse('hash_mismatch', 'hash', 'is the hash of another block')
  return { ok: true, block }
}

function refuse(error: Exclude<BlockVerdict, { ok: true }>['error'], field: string, message: string): BlockVerdict {
  return { ok: false, error, field: field.slice(0, 100), message }
}
