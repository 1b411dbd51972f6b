import { createHash } from 'node:crypto'
import { canonicalJson, type Json, type JsonObject } from '../../kernel/json/json.ts'

/** The requirements of a machine, as the fields of a capability block. Memory is in GB (10^9 bytes). */
export interface CapabilityNeeds {
  readonly min_vram_gb?: number | undefined
  readonly min_cpu_ram_gb?: number | undefined
  readonly runtimes?: readonly string[] | undefined
  readonly modalities?: readonly string[] | undefined
  readonly requires_confidential_compute?: boolean | undefined
  readonly attestation?: string | undefined
  readonly min_device_profile?: string | undefined
  readonly target_arch?: string | undefined
  readonly notes?: string | undefined
}

/**
 * Returns a capability block, spec `capability-v1`: the requirements of a machine to run a recipe. Lists are sorted and
 * hold each name once; empty lists, empty texts and `false` are left out.
 */
export function capabilityBlock(needs: CapabilityNeeds): JsonObject {
  const entries = Object.entries(needs).flatMap(([name, value]): [string, Json][] => {
    const kept = Array.isArray(value) ? [...new Set<string>(value)].toSorted((a, b) => (a < b ? -1 : 1)) : value
    const isEmpty = kept === undefined || kept === '' || kept === false || (Array.isArray(kept) && kept.length === 0)
    return isEmpty ? [] : [[name, kept]]
  })
  const block = { spec: 'capability-v1', ...Object.fromEntries(entries) }
  return { ...block, hash: capabilityHash(block) }
}

/** The hash of a capability block: the first 16 hex digits of SHA-256 over its RFC 8785 form without `hash`. */
export function capabilityHash(block: JsonObject): string {
  return createHash('sha256').update(canonicalJson(block)).digest('hex').slice(0, 16)
}
