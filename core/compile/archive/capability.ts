import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '../../kernel/json/json.ts'

/**
 * Returns a capability block, spec `capability-v1`: the requirements of a machine to run a recipe. Lists are sorted,
 * empty ones left out.
 */
export function capabilityBlock(needs: {
  readonly runtimes: readonly string[]
  readonly modalities: readonly string[]
  readonly minVramGb?: number
}): JsonObject {
  const block = {
    spec: 'capability-v1',
    ...(needs.minVramGb === undefined ? {} : { min_vram_gb: needs.minVramGb }),
    ...(needs.runtimes.length === 0 ? {} : { runtimes: needs.runtimes.toSorted() }),
    ...(needs.modalities.length === 0 ? {} : { modalities: needs.modalities.toSorted() }),
  }
  return { ...block, hash: capabilityHash(block) }
}

/** The hash of a capability block: the first 16 hex digits of SHA-256 over its RFC 8785 form without `hash`. */
export function capabilityHash(block: JsonObject): string {
  return createHash('sha256').update(canonicalJson(block)).digest('hex').slice(0, 16)
}
